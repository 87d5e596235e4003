; floats.smt2 - what the ops compute on f32 and f16. A f16 op computes in f32 and rounds; comparing and
; choosing are exact and need no f32. In front of this stands product.smt2 or signs.smt2. SMT-LIB has one NaN, and = tells -0.0 from 0.0.
(define-fun add_f32 ((a F) (b F)) F (fp.add RNE a b))
(define-fun max_f32 ((a F) (b F)) F ; IEEE 754-2019 maximum
  (ite (or (fp.isNaN a) (fp.isNaN b)) (_ NaN 8 24)
       (ite (fp.lt a b) b (ite (fp.lt b a) a (ite (fp.isNegative a) b a)))))
(define-fun cmplt_f32 ((a F) (b F)) Bool (fp.lt a b))
(define-fun cmpne_f32 ((a F) (b F)) Bool (not (fp.eq a b)))
(define-fun where_f32 ((c Bool) (a F) (b F)) F (ite c a b))
(define-fun recip_f32 ((a F)) F (fp.div RNE ((_ to_fp 8 24) #x3f800000) a))
(define-fun sqrt_f32 ((a F)) F (fp.sqrt RNE a))
(declare-fun exp2_f32 (F) F) ; nothing is known of these three but that they are functions
(declare-fun log2_f32 (F) F)
(declare-fun sin_f32 (F) F)

(define-fun add_f16 ((a H) (b H)) H (cast_f32_f16 (add_f32 (cast_f16_f32 a) (cast_f16_f32 b))))
(define-fun max_f16 ((a H) (b H)) H
  (ite (or (fp.isNaN a) (fp.isNaN b)) (_ NaN 5 11)
       (ite (fp.lt a b) b (ite (fp.lt b a) a (ite (fp.isNegative a) b a)))))
(define-fun cmplt_f16 ((a H) (b H)) Bool (fp.lt a b))
(define-fun cmpne_f16 ((a H) (b H)) Bool (not (fp.eq a b)))
(define-fun where_f16 ((c Bool) (a H) (b H)) H (ite c a b))
(define-fun recip_f16 ((a H)) H (cast_f32_f16 (recip_f32 (cast_f16_f32 a))))
(define-fun sqrt_f16 ((a H)) H (cast_f32_f16 (sqrt_f32 (cast_f16_f32 a))))
(define-fun exp2_f16 ((a H)) H (cast_f32_f16 (exp2_f32 (cast_f16_f32 a))))
(define-fun log2_f16 ((a H)) H (cast_f32_f16 (log2_f32 (cast_f16_f32 a))))
(define-fun sin_f16 ((a H)) H (cast_f32_f16 (sin_f32 (cast_f16_f32 a))))

(define-fun cast_f32_bool ((a F)) Bool (not (fp.isZero a)))
(define-fun cast_f16_bool ((a H)) Bool (not (fp.isZero a)))
(define-fun cast_bool_f32 ((a Bool)) F (ite a ((_ to_fp 8 24) #x3f800000) (_ +zero 8 24)))
(define-fun cast_bool_f16 ((a Bool)) H (cast_f32_f16 (cast_bool_f32 a)))
(define-fun cast_i32_f32 ((a I)) F ((_ to_fp 8 24) RNE a))
(define-fun cast_i32_f16 ((a I)) H (cast_f32_f16 (cast_i32_f32 a)))
(define-fun cast_f32_i32 ((a F)) I ; truncates and saturates; 2^31 is #x4f000000
  (ite (fp.isNaN a) zero
       (ite (fp.geq a ((_ to_fp 8 24) #x4f000000)) #x7fffffff
            (ite (fp.leq a ((_ to_fp 8 24) #xcf000000)) #x80000000
                 ((_ fp.to_sbv 32) RTZ a)))))
(define-fun cast_f16_i32 ((a H)) I (cast_f32_i32 (cast_f16_f32 a)))
