; signs.smt2 - the product of two f32, of which is known how NaN, the signs and 1 act, and no more: its size
; may be any function. What holds of this holds of the real product, and takes no multiplier.
(define-sort F () (_ FloatingPoint 8 24))
(define-sort H () (_ FloatingPoint 5 11))
(declare-fun size (F F) F)
(define-fun is_1 ((a F)) Bool (= (fp.abs a) ((_ to_fp 8 24) #x3f800000)))
(define-fun signed ((negative Bool) (a F)) F (ite negative (fp.neg a) a))
(define-fun product ((a F) (b F)) F
  (ite (or (fp.isNaN a) (fp.isNaN b)) (_ NaN 8 24)
       (ite (is_1 a) (signed (fp.isNegative a) b)
            (ite (is_1 b) (signed (fp.isNegative b) a)
                 (signed (xor (fp.isNegative a) (fp.isNegative b))
                         (size (fp.abs a) (fp.abs b)))))))
