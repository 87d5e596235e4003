; product.smt2 - the product of two f32.
(define-sort F () (_ FloatingPoint 8 24))
(define-sort H () (_ FloatingPoint 5 11))
(define-fun product ((a F) (b F)) F (fp.mul RNE a b))
