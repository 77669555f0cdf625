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
Definition inner (dims : list nat) (x : point -> point -> R) : matrix :=
  fun u v => total dims (fun t => x u t * x v t).
Definition unit_vectors (sizes dims : list nat) (x : point -> point -> R) : Prop :=
  forall u, valid sizes u -> inner dims x u u = 1.

(* A term of a loss: its weight, what each vector weighs in the denominator, and how much of the
   mean over the positives it is; each by which indices agree with those of the anchor. *)
Record term := { weight : R; denominator : list bool -> R; positives : list bool -> R }.
Definition anchor_loss (sizes : list nat) (tau : R) (H : matrix) (u : point) (t : term) : R :=
  weight t * (ln (total sizes (fun w => denominator t (agree u w) * exp (H u w / tau)))
              - total sizes (fun w => positives t (agree u w) * (H u w / tau))).
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

(* A sigmoid loss: for pairs that agree in this way, strength * ln (1 + exp (rate * H u w + shift)),
   which is - strength * ln (sigmoid (- rate * H u w - shift)). *)
Record pair_term := { among : list bool -> bool; strength : R; rate : R; shift : R }.
Definition pair_anchor_loss (sizes : list nat) (terms : list pair_term) (H : matrix) (u : point) : R :=
  total sizes (fun w => over terms (fun t =>
    if among t (agree u w) then strength t * ln (1 + exp (rate t * H u w + shift t)) else 0)).
Definition pair_loss (sizes : list nat) (terms : list pair_term) (H : matrix) : R :=
  total sizes (pair_anchor_loss sizes terms H) / total sizes (fun _ => 1).

(* No unit vectors of any dimension have a smaller loss than inner products h by relation. *)
Definition least (sizes : list nat) (L : matrix -> R) (h : list bool -> R) : Prop :=
  forall dims x, unit_vectors sizes dims x -> L (by_relation h) <= L (inner dims x).
Definition attained (sizes : list nat) (h : list bool -> R) : Prop :=
  exists dims x, unit_vectors sizes dims x /\
  forall u v, valid sizes u -> valid sizes v -> inner dims x u v = h (agree u v).
