; bools.smt2 - what the ops compute on bools, as docs/ops.md has it.
(define-fun add_bool ((a Bool) (b Bool)) Bool (or a b))
(define-fun mul_bool ((a Bool) (b Bool)) Bool (and a b))
(define-fun max_bool ((a Bool) (b Bool)) Bool (or a b))
(define-fun cmplt_bool ((a Bool) (b Bool)) Bool (and (not a) b))
(define-fun cmpne_bool ((a Bool) (b Bool)) Bool (xor a b))
(define-fun where_bool ((c Bool) (a Bool) (b Bool)) Bool (ite c a b))
