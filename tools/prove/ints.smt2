; ints.smt2 - what the ops compute on i32, on whole numbers. In front of this stands `wrapped`, what
; becomes of a value that may have left i32: nothing, where it was shown that none does, or its
; remainder. SMT-LIB's div and mod leave a remainder that is never negative.
(define-fun add_i32 ((a I) (b I)) I (wrapped (+ a b)))
(define-fun mul_i32 ((a I) (b I)) I (wrapped (* a b)))
(define-fun max_i32 ((a I) (b I)) I (ite (> a b) a b))
(define-fun cmplt_i32 ((a I) (b I)) Bool (< a b))
(define-fun cmpne_i32 ((a I) (b I)) Bool (not (= a b)))
(define-fun where_i32 ((c Bool) (a I) (b I)) I (ite c a b))
(define-fun quotient ((a I) (b I)) I
  (ite (= b 0) 0 (ite (> b 0) (div a b) (div (- a) (- b)))))
(define-fun remainder ((a I) (b I)) I
  (ite (= b 0) a (ite (> b 0) (mod a b) (- (mod (- a) (- b))))))
(define-fun floordiv_i32 ((a I) (b I)) I (wrapped (quotient a b)))
(define-fun floormod_i32 ((a I) (b I)) I (remainder a b))
(define-fun cast_bool_i32 ((a Bool)) I (ite a 1 0))
(define-fun cast_i32_bool ((a I)) Bool (not (= a 0)))
