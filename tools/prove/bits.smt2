; bits.smt2 - what the ops compute on i32, as vectors. In front of this stand I, a vector of 32 bits
; or of 8, and zero and one of it. bvadd and bvmul wrap; bvsdiv rounds toward zero, and gives INT_MIN
; for INT_MIN / -1; bvsmod has the divisor's sign.
(define-fun add_i32 ((a I) (b I)) I (bvadd a b))
(define-fun mul_i32 ((a I) (b I)) I (bvmul a b))
(define-fun max_i32 ((a I) (b I)) I (ite (bvsgt a b) a b))
(define-fun cmplt_i32 ((a I) (b I)) Bool (bvslt a b))
(define-fun cmpne_i32 ((a I) (b I)) Bool (not (= a b)))
(define-fun where_i32 ((c Bool) (a I) (b I)) I (ite c a b))
(define-fun floordiv_i32 ((a I) (b I)) I
  (ite (= b zero) zero
       (ite (and (not (= (bvsrem a b) zero)) (xor (bvslt a zero) (bvslt b zero)))
            (bvsub (bvsdiv a b) one)
            (bvsdiv a b))))
(define-fun floormod_i32 ((a I) (b I)) I (ite (= b zero) a (bvsmod a b)))
(define-fun cast_bool_i32 ((a Bool)) I (ite a one zero))
(define-fun cast_i32_bool ((a I)) Bool (not (= a zero)))
