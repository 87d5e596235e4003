; product.smt2 - f32 and f16, and their products.
(define-sort F () (_ FloatingPoint 8 24))
(define-sort H () (_ FloatingPoint 5 11))
(define-fun cast_f16_f32 ((a H)) F ((_ to_fp 8 24) RNE a))
(define-fun cast_f32_f16 ((a F)) H ((_ to_fp 5 11) RNE a))
(define-fun mul_f32 ((a F) (b F)) F (fp.mul RNE a b))
(define-fun mul_f16 ((a H) (b H)) H (cast_f32_f16 (mul_f32 (cast_f16_f32 a) (cast_f16_f32 b))))
