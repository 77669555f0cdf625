(* Written by cltheory. Losses of vectors that are indexed by tuples of indices: what the theorems
   say. Nothing here is proved; the proofs are in the other files. *)
From Coq Require Import Reals List Arith.
Import ListNotations.
Open Scope R_scope.

Fixpoint sum (N : nat) (f : nat -> R) : R :=            (* f 0 + ... + f (N - 1) *)
  match N with O => 0 | S k => sum k f + f k end.

Definition point := list nat.                           (* one index for each axis, outermost first *)
Fixpoint total (sizes : list nat) (f : point -> R) : R :=         (* over all points *)
  match sizes with [] => f [] | N :: rest => sum N (fun i => total rest (fun u => f (i :: u))) end.
Fixpoint valid (sizes : list nat) (u : point) : Prop :=
  match sizes, u with
  | [], [] => True | N :: rest, i :: v => (i < N)%nat /\ valid rest v | _, _ => False end.
Fixpoint agree (u v : point) : list bool :=             (* which indices are the same *)
  match u, v with i :: u', j :: v' => Nat.eqb i j :: agree u' v' | _, _ => [] end.

Definition matrix := point -> point -> R.
Definition by_relation (h : list bool -> R) : matrix := fun u v => h (agree u v).

(* A vector for each point, whose coordinates are indexed by tuples too: [d] is R^d. *)
Definition inner {P : Type} (dims : list nat) (x : P -> point -> R) : P -> P -> R :=
  fun u v => total dims (fun t => x u t * x v t).
Definition unit_vectors (sizes dims : list nat) (x : point -> point -> R) : Prop :=
  forall u, valid sizes u -> inner dims x u u = 1.

(* A term of a loss: its weight, what each vector weighs in the denominator, and how much of the
   mean over the positives it is; each by how it is related to the anchor: which indices agree. *)
Record softmax_term {Q : Type} := Build_term { weight : R; denominator : Q -> R; positives : Q -> R }.
Definition softmax {P Q : Type} (all : (P -> R) -> R) (related : P -> P -> Q)
    (tau : R) (H : P -> P -> R) (u : P) (t : softmax_term) : R :=
  weight t * (ln (all (fun w => denominator t (related u w) * exp (H u w / tau)))
              - all (fun w => positives t (related u w) * (H u w / tau))).
Notation term := (@softmax_term (list bool)).
Definition anchor_loss (sizes : list nat) : R -> matrix -> point -> term -> R := softmax (total sizes) agree.
Fixpoint over {T : Type} (terms : list T) (f : T -> R) : R :=
  match terms with [] => 0 | t :: rest => f t + over rest f end.
Definition loss (sizes : list nat) (tau : R) (terms : list term) (H : matrix) : R :=
  total sizes (fun u => over terms (anchor_loss sizes tau H u)) / total sizes (fun _ => 1).

(* The same where every positive has a denominator of its own, to which it alone is added. *)
Definition own_anchor_loss (sizes : list nat) (tau : R) (H : matrix) (u : point) (t : term) : R :=
  weight t * total sizes (fun v => positives t (agree u v)
    * (ln (exp (H u v / tau) + total sizes (fun w => denominator t (agree u w) * exp (H u w / tau)))
       - H u v / tau)).
Definition own_loss (sizes : list nat) (tau : R) (terms : list term) (H : matrix) : R :=
  total sizes (fun u => over terms (own_anchor_loss sizes tau H u)) / total sizes (fun _ => 1).

(* Sets of places on the two outer axes, classes and instances; a batch has all that is below them. *)
Definition batch := point -> bool.                      (* which points are in it *)
Definition put (k : point) (t : bool) (c : batch) : batch :=
  fun u => if list_eq_dec Nat.eq_dec u k then t else c u.
Fixpoint sets (places : list point) : list batch :=     (* all of them *)
  match places with
  | [] => [fun _ => false]
  | k :: rest => map (put k false) (sets rest) ++ map (put k true) (sets rest) end.
Definition places (M N : nat) : list point := flat_map (fun i => map (fun j => [i; j]) (seq 0 N)) (seq 0 M).
Definition batches_with (good : nat -> nat -> batch -> bool) (sizes : list nat) : list batch :=
  match sizes with
  | M :: N :: _ => map (fun c u => c (firstn 2 u)) (filter (good M N) (sets (places M N))) | _ => [] end.
Definition in_class (N : nat) (b : batch) (i : nat) (v : point) : nat := length (filter (fun j => b (i :: j :: v)) (seq 0 N)).

(* Balanced batches: of each class k instances or none, or all or none, and C classes in all. *)
Definition balanced (C k M N : nat) (c : batch) : bool :=
  Nat.eqb (length (filter c (places M N))) (C * k) &&
  forallb (fun i => Nat.eqb (in_class N c i []) 0 || Nat.eqb (in_class N c i []) k)%bool (seq 0 M).
Definition batches (sizes draws : list nat) : list batch :=
  match draws with
  | [C] => batches_with (fun M N => balanced C N M N) sizes | [C; k] => batches_with (balanced C k) sizes | _ => [] end.

(* The mean over batches of a softmax loss of what is in one; the positives count alike, and there
   the mean over them is that of those in the batch; if there are none, this is 0 / 0, which is 0. *)
Definition batch_anchor_loss (sizes : list nat) (tau : R) (b : batch) (H : matrix) (u : point) (t : term) : R :=
  let within f := total sizes (fun w => if b w then f w else 0) in
  weight t * (ln (within (fun w => denominator t (agree u w) * exp (H u w / tau)))
              - within (fun w => positives t (agree u w) * (H u w / tau)) / within (fun w => positives t (agree u w))).
Definition mean_over (every : list batch) (sizes : list nat) (tau : R) (terms : batch -> point -> list term) (H : matrix) : R :=
  over every (fun b =>
    total sizes (fun u => if b u then over (terms b u) (batch_anchor_loss sizes tau b H u) else 0)
    / total sizes (fun u => if b u then 1 else 0)) / INR (length every).
Definition batch_loss (sizes draws : list nat) (tau : R) (terms : list term) : matrix -> R :=
  mean_over (batches sizes draws) sizes tau (fun _ _ => terms).

(* All batches of B instances; an anchor has other terms where no other of its class is in the batch. *)
Definition random_batches (sizes : list nat) (B : nat) : list batch :=
  batches_with (fun M N c => Nat.eqb (length (filter c (places M N))) B) sizes.
Definition others (sizes : list nat) (b : batch) (u : point) : nat :=
  match sizes, u with _ :: N :: _, i :: _ :: v => pred (in_class N b i v) | _, _ => O end.
Definition random_loss (sizes : list nat) (B : nat) (tau : R) (terms alone : list term) : matrix -> R :=
  mean_over (random_batches sizes B) sizes tau
    (fun b u => match others sizes b u with O => alone | S _ => terms end).

(* The mean of what depends on how many of the D that are drawn of N are marked, of A in all; of it
   where there are some, and the probability that there are none. *)
Fixpoint choose (N D : nat) : R :=
  match N, D with _, O => 1 | O, S _ => 0 | S n, S d => choose n d + choose n (S d) end.
Definition hypergeometric (A D N : nat) (f : nat -> R) : R :=
  sum (S D) (fun k => choose A k * choose (N - A) (D - k) * f k) / choose N D.
Definition mean_of_some (A D N : nat) (f : R -> R) : R :=
  hypergeometric A D N (fun k => match k with O => 0 | S _ => f (INR k) end).
Definition chance_of_none (A D N : nat) : R :=
  hypergeometric A D N (fun k => match k with O => 1 | S _ => 0 end).

(* A sigmoid loss: for pairs that agree in this way, strength * ln (1 + exp (rate * H u w + shift)),
   which is - strength * ln (sigmoid (- rate * H u w - shift)). *)
Record pair_term := { among : list bool -> bool; strength : R; rate : R; shift : R }.
Definition pair_anchor_loss (sizes : list nat) (terms : list pair_term) (H : matrix) (u : point) : R :=
  total sizes (fun w => over terms (fun t =>
    if among t (agree u w) then strength t * ln (1 + exp (rate t * H u w + shift t)) else 0)).
Definition pair_loss (sizes : list nat) (terms : list pair_term) (H : matrix) : R :=
  total sizes (pair_anchor_loss sizes terms H) / total sizes (fun _ => 1).

(* Any functions of single inner products: for pairs that agree in this way, share * of (H u w). *)
Record function_term := { between : list bool -> bool; share_of : R; value_of : R -> R }.
Definition pair_values (terms : list function_term) (a : list bool) (c : R) : R :=
  over terms (fun t => if between t a then share_of t * value_of t c else 0).
Definition function_anchor_loss (sizes : list nat) (terms : list function_term) (H : matrix) (u : point) : R :=
  total sizes (fun w => pair_values terms (agree u w) (H u w)).
Definition function_loss (sizes : list nat) (terms : list function_term) (H : matrix) : R :=
  total sizes (function_anchor_loss sizes terms H) / total sizes (fun _ => 1).

(* Points of several kinds, each with sizes of its own: a point is a kind and its indices there. *)
Definition member := (nat * point)%type.
Definition belongs (kinds : list (list nat)) (u : member) : Prop :=
  (fst u < length kinds)%nat /\ valid (nth (fst u) kinds []) (snd u).
Definition total_of (kinds : list (list nat)) (f : member -> R) : R :=
  sum (length kinds) (fun k => total (nth k kinds []) (fun u => f (k, u))).
Definition relation := (nat * nat * list bool)%type.    (* both kinds; in one, which indices are the same *)
Definition between_members (u v : member) : relation :=
  (fst u, fst v, if Nat.eqb (fst u) (fst v) then agree (snd u) (snd v) else []).
Notation member_term := (@softmax_term relation).
Definition loss_of_kinds (kinds : list (list nat)) (tau : R) (terms : list member_term) (H : member -> member -> R) : R :=
  total_of kinds (fun u => over terms (softmax (total_of kinds) between_members tau H u)) / total_of kinds (fun _ => 1).
Definition unit_members (kinds : list (list nat)) (dims : list nat) (x : member -> point -> R) : Prop :=
  forall u, belongs kinds u -> inner dims x u u = 1.

(* No unit vectors of any dimension have a smaller loss than inner products h by relation. *)
Definition least (sizes : list nat) (L : matrix -> R) (h : list bool -> R) : Prop :=
  forall dims x, unit_vectors sizes dims x -> L (by_relation h) <= L (inner dims x).
Definition attained (sizes : list nat) (h : list bool -> R) : Prop :=
  exists dims x, unit_vectors sizes dims x /\
  forall u v, valid sizes u -> valid sizes v -> inner dims x u v = h (agree u v).

(* InfoNCE at one anchor: its positive, and negatives z_negative 0, 1, ...; vectors are functions of
   the coordinate. *)
Definition vector := nat -> R.
Definition dot (d : nat) (u v : vector) : R := sum d (fun t => u t * v t).
Definition combined (N : nat) (w : nat -> R) (z : nat -> vector) : vector :=
  fun t => sum N (fun j => w j * z j t).
Record anchored := { coordinates : nat; negatives : nat; temperature : R;
  z_anchor : vector; z_positive : vector; z_negative : nat -> vector }.
Definition unit_anchored (c : anchored) : Prop :=
  let unit v := dot (coordinates c) v v = 1 in
  (1 <= negatives c)%nat /\ 0 < temperature c /\ unit (z_anchor c) /\ unit (z_positive c) /\
  forall j, (j < negatives c)%nat -> unit (z_negative c j).
Definition power (c : anchored) (x v : vector) : R := exp (dot (coordinates c) x v / temperature c).
Definition infonce (c : anchored) (x : vector) : R :=
  - ln (power c x (z_positive c)
        / (power c x (z_positive c) + sum (negatives c) (fun j => power c x (z_negative c j)))).
Definition is_gradient (c : anchored) (g : vector) : Prop :=    (* in the anchor, taken as free *)
  forall v, derivable_pt_lim (fun r => infonce c (fun t => z_anchor c t + r * v t)) 0 (dot (coordinates c) g v).

(* Readings of a configuration. *)
Definition read_push (c : anchored) : R :=
  sum (negatives c) (fun j => power c (z_anchor c) (z_negative c j)).
Definition read_epsilon (c : anchored) : R := read_push c / (power c (z_anchor c) (z_positive c) + read_push c).
Definition read_q (c : anchored) (j : nat) : R := power c (z_anchor c) (z_negative c j) / read_push c.
Definition read_m (c : anchored) : vector := combined (negatives c) (read_q c) (z_negative c).
Definition read_M (c : anchored) : vector :=
  fun t => (1 - read_epsilon c) * z_positive c t + read_epsilon c * read_m c t.
Definition read_rho (c : anchored) : R := dot (coordinates c) (read_M c) (z_positive c).
Definition read_mu (c : anchored) : R := sqrt (dot (coordinates c) (read_m c) (read_m c)).
Definition read_alignment (c : anchored) : R := dot (coordinates c) (z_anchor c) (z_positive c).
Definition read_similarity (c : anchored) : R := dot (coordinates c) (z_anchor c) (read_m c).
Definition read_participation (c : anchored) : R := sum (negatives c) (fun j => read_q c j ^ 2).
Definition read_similar (c : anchored) (j : nat) : R := dot (coordinates c) (z_anchor c) (z_negative c j).
Definition read_mean_similar (c : anchored) : R := sum (negatives c) (read_similar c) / INR (negatives c).
Definition read_variance (c : anchored) : R :=
  sum (negatives c) (fun j => (read_similar c j - read_mean_similar c) ^ 2) / INR (negatives c).
Definition read_softmax_variance (c : anchored) : R :=
  sum (negatives c) (fun j => read_q c j * (read_similar c j - read_similarity c) ^ 2).
Definition tangential (c : anchored) (g : vector) : vector :=   (* its part in the tangent plane *)
  fun t => g t - dot (coordinates c) g (z_anchor c) * z_anchor c t.
Definition across (c : anchored) (j : nat) : vector :=          (* a negative orthogonal to the positive *)
  fun t => z_negative c j t - dot (coordinates c) (z_negative c j) (z_positive c) * z_positive c t.
(* No eigenvalue of (1/N) sum z_j z_j^T is above s. *)
Definition moment_at_most (c : anchored) (z : nat -> vector) (s : R) : Prop :=
  forall v, sum (negatives c) (fun j => dot (coordinates c) (z j) v ^ 2) / INR (negatives c)
            <= s * dot (coordinates c) v v.
(* The softmax mean of the negatives times epsilon: its part with equal weights, the rest, and what of
   that is linear in the similarities. *)
Definition part_of (c : anchored) (w : nat -> R) : R :=
  let v := combined (negatives c) (fun j => read_epsilon c * w j) (z_negative c) in dot (coordinates c) v v.
Definition sampling (c : anchored) : R := part_of c (fun _ => / INR (negatives c)).
Definition fluctuation (c : anchored) : R := part_of c (fun j => read_q c j - / INR (negatives c)).
Definition linear_part (c : anchored) : R :=
  part_of c (fun j => (read_similar c j - read_mean_similar c) / (INR (negatives c) * temperature c)).

(* What increases, or decreases, on a set of real numbers. *)
Definition increases (D : R -> Prop) (f : R -> R) : Prop := forall x y, D x -> D y -> x < y -> f x < f y.
Definition decreases (D : R -> Prop) (f : R -> R) : Prop := forall x y, D x -> D y -> x < y -> f y < f x.
