; signs.smt2 - f32 and f16, and products of which is known how NaN, the signs and 1 act, and no more:
; their size may be any function. What holds of these holds of the real ones, and takes no multiplier.
(define-sort F () (_ FloatingPoint 8 24))
(define-sort H () (_ FloatingPoint 5 11))
(define-fun cast_f16_f32 ((a H)) F ((_ to_fp 8 24) RNE a))
(define-fun cast_f32_f16 ((a F)) H ((_ to_fp 5 11) RNE a))

(declare-fun size_f32 (F F) F)
(define-fun is_1_f32 ((a F)) Bool (= (fp.abs a) ((_ to_fp 8 24) #x3f800000)))
(define-fun signed_f32 ((negative Bool) (a F)) F (ite negative (fp.neg a) a))
(define-fun mul_f32 ((a F) (b F)) F
  (ite (or (fp.isNaN a) (fp.isNaN b)) (_ NaN 8 24)
       (ite (is_1_f32 a) (signed_f32 (fp.isNegative a) b)
            (ite (is_1_f32 b) (signed_f32 (fp.isNegative b) a)
                 (signed_f32 (xor (fp.isNegative a) (fp.isNegative b))
                             (size_f32 (fp.abs a) (fp.abs b)))))))

(declare-fun size_f16 (H H) H)
(define-fun is_1_f16 ((a H)) Bool (= (fp.abs a) ((_ to_fp 5 11) #x3c00)))
(define-fun signed_f16 ((negative Bool) (a H)) H (ite negative (fp.neg a) a))
(define-fun mul_f16 ((a H) (b H)) H
  (ite (or (fp.isNaN a) (fp.isNaN b)) (_ NaN 5 11)
       (ite (is_1_f16 a) (signed_f16 (fp.isNegative a) b)
            (ite (is_1_f16 b) (signed_f16 (fp.isNegative b) a)
                 (signed_f16 (xor (fp.isNegative a) (fp.isNegative b))
                             (size_f16 (fp.abs a) (fp.abs b)))))))
