(* Written by cltheory. A softmax loss is convex in the inner products. So a matrix with one inner
   product per relation is optimal iff the gradient there has no eigenvalue below the level that it
   has on the matrix itself. The eigenspaces are tensor products of means and contrasts, one for each
   axis, and the projections on them are the facts: a Gram matrix has a share >= 0 of each. *)
From Coq Require Import Reals Lra Lia List Arith.
Require Import cltheory_loss.
Import ListNotations.
Open Scope R_scope.

(* ---- sums ---- *)
Lemma sum_ext N f g : (forall i, (i < N)%nat -> f i = g i) -> sum N f = sum N g.
Proof. induction N; simpl; intro e; [reflexivity|]. rewrite IHN, e; auto with arith. Qed.
Lemma sum_le N f g : (forall i, (i < N)%nat -> f i <= g i) -> sum N f <= sum N g.
Proof. induction N; simpl; intro e; [lra|]. apply Rplus_le_compat; [apply IHN|]; auto with arith. Qed.
Lemma sum_plus N f g : sum N (fun i => f i + g i) = sum N f + sum N g.
Proof. induction N; simpl; [lra|]. rewrite IHN; lra. Qed.
Lemma sum_scal N c f : sum N (fun i => c * f i) = c * sum N f.
Proof. induction N; simpl; [lra|]. rewrite IHN; lra. Qed.
Lemma sum_const N c : sum N (fun _ => c) = INR N * c.
Proof. induction N; [simpl; lra|]. rewrite S_INR; simpl. rewrite IHN; lra. Qed.
Lemma sum_swap N M f : sum N (fun i => sum M (fun j => f i j)) = sum M (fun j => sum N (fun i => f i j)).
Proof. induction N; simpl; [rewrite sum_const; ring|]. rewrite IHN, <- sum_plus. reflexivity. Qed.
Lemma sum_pick N i f : (i < N)%nat -> sum N (fun j => if Nat.eqb i j then f j else 0) = f i.
Proof.
  assert (Z : forall M, (M <= i)%nat -> sum M (fun j => if Nat.eqb i j then f j else 0) = 0).
  { intros M HM. transitivity (sum M (fun _ => 0)); [|rewrite sum_const; ring].
    apply sum_ext. intros j Hj. destruct (Nat.eqb_spec i j); [lia|reflexivity]. }
  induction N; intro Hi; [lia|]. simpl. destruct (Nat.eqb_spec i N) as [<-|ne].
  - rewrite Z by lia. ring.
  - rewrite IHN by lia. ring.
Qed.
Lemma sum_agree N i (f : bool -> R) : (i < N)%nat ->
  sum N (fun j => f (Nat.eqb i j)) = f true + (INR N - 1) * f false.
Proof.
  intro Hi. transitivity (sum N (fun j => (if Nat.eqb i j then f true - f false else 0) + f false)).
  - apply sum_ext; intros j _. destruct (Nat.eqb i j); ring.
  - rewrite sum_plus, sum_const, (sum_pick N i (fun _ => f true - f false)) by exact Hi. ring.
Qed.
Lemma sum_der N (f : nat -> R -> R) l t : (forall i, (i < N)%nat -> derivable_pt_lim (f i) t (l i)) ->
  derivable_pt_lim (fun t => sum N (fun i => f i t)) t (sum N l).
Proof.
  intro D. induction N; simpl; [apply derivable_pt_lim_const|].
  apply (derivable_pt_lim_plus (fun t => sum N (fun i => f i t)) (f N)); [apply IHN|]; auto with arith.
Qed.

Lemma total_ext s f g : (forall u, valid s u -> f u = g u) -> total s f = total s g.
Proof. revert f g; induction s; simpl; intros f g e; [apply e, I|]. apply sum_ext; intros; apply IHs; intros; apply e; split; assumption. Qed.
Lemma total_le s f g : (forall u, valid s u -> f u <= g u) -> total s f <= total s g.
Proof. revert f g; induction s; simpl; intros f g e; [apply e, I|]. apply sum_le; intros; apply IHs; intros; apply e; split; assumption. Qed.
Lemma total_plus s f g : total s (fun u => f u + g u) = total s f + total s g.
Proof. revert f g; induction s; simpl; intros; [reflexivity|]. rewrite <- sum_plus. apply sum_ext; intros; apply IHs. Qed.
Lemma total_scal s c f : total s (fun u => c * f u) = c * total s f.
Proof. revert f; induction s; simpl; intros; [reflexivity|]. rewrite <- sum_scal. apply sum_ext; intros; apply IHs. Qed.
Lemma total_minus s f g : total s (fun u => f u - g u) = total s f - total s g.
Proof.
  transitivity (total s (fun u => f u + (-1) * g u)); [apply total_ext; intros; ring|].
  rewrite total_plus, total_scal. ring.
Qed.
Lemma total_sum s N f : total s (fun u => sum N (fun i => f u i)) = sum N (fun i => total s (fun u => f u i)).
Proof.
  revert f; induction s; simpl; intros; [reflexivity|]. rewrite sum_swap. apply sum_ext; intros; apply IHs.
Qed.
Lemma total_swap s r f : total s (fun u => total r (fun v => f u v)) = total r (fun v => total s (fun u => f u v)).
Proof.
  revert f; induction s; simpl; intros; [reflexivity|]. rewrite total_sum. apply sum_ext; intros; apply IHs.
Qed.
Lemma total_zero s : total s (fun _ => 0) = 0.
Proof. transitivity (total s (fun _ => 0 * 0)); [apply total_ext; intros; ring|]. rewrite total_scal. ring. Qed.
Lemma total_pos s f : (forall u, valid s u -> 0 <= f u) -> 0 <= total s f.
Proof. intro h. rewrite <- (total_zero s). apply total_le. exact h. Qed.
Lemma total_der s (f : point -> R -> R) l t : (forall u, valid s u -> derivable_pt_lim (f u) t (l u)) ->
  derivable_pt_lim (fun t => total s (fun u => f u t)) t (total s l).
Proof.
  revert f l; induction s; simpl; intros f l D; [apply D, I|].
  apply (sum_der a (fun i t => total s (fun u => f (i :: u) t)) (fun i => total s (fun u => l (i :: u)))).
  intros; apply (IHs (fun u => f (i :: u))). intros; apply D; split; assumption.
Qed.
Lemma agree_sym u v : agree u v = agree v u.
Proof. revert v; induction u; intros [|j v]; simpl; [reflexivity..|]. rewrite IHu, Nat.eqb_sym. reflexivity. Qed.
Lemma total_one s : total s (fun _ => 1) = fold_right (fun N a => INR N * a) 1 s.
Proof. induction s; simpl; [reflexivity|]. rewrite sum_const, IHs. reflexivity. Qed.
Lemma size_pos s : (forall N, In N s -> (1 <= N)%nat) -> 0 < total s (fun _ => 1).
Proof.
  rewrite total_one. induction s; simpl; intro h; [lra|].
  apply Rmult_lt_0_compat; [apply lt_0_INR, h; auto | apply IHs; auto].
Qed.

(* ---- what depends only on which indices agree ---- *)
Fixpoint row (sizes : list R) (F : list bool -> R) : R :=          (* the sum of a row *)
  match sizes with [] => F []
  | N :: r => row r (fun b => F (true :: b)) + (N - 1) * row r (fun b => F (false :: b)) end.
Lemma total_agree s F u : valid s u -> total s (fun w => F (agree u w)) = row (map INR s) F.
Proof.
  revert F u; induction s; intros F [|i u]; simpl; try contradiction; [reflexivity|]. intros [Hi Hu].
  rewrite <- (IHs _ u Hu), <- (IHs _ u Hu).
  exact (sum_agree a i (fun b => total s (fun w => F (b :: agree u w))) Hi).
Qed.

Inductive kind := Mean | Contrast | All.
Definition factor (k : kind) (N : R) (b : bool) : R :=
  match k with Mean => / N | Contrast => (if b then 1 else 0) - / N | All => if b then 1 else 0 end.
Fixpoint kernel (sizes : list R) (ks : list kind) (a : list bool) : R :=   (* the projection *)
  match sizes, ks, a with
  | N :: r, k :: l, b :: c => factor k N b * kernel r l c | _, _, _ => 1 end.
Fixpoint eigen (sizes : list R) (ks : list kind) (F : list bool -> R) : R :=
  match sizes, ks with
  | N :: r, Contrast :: l => eigen r l (fun b => F (true :: b)) - eigen r l (fun b => F (false :: b))
  | N :: r, _ :: l => eigen r l (fun b => F (true :: b)) + (N - 1) * eigen r l (fun b => F (false :: b))
  | _, _ => F [] end.
Fixpoint spaces (sizes : list R) (g : list kind -> R) : R :=
  match sizes with [] => g []
  | _ :: r => spaces r (fun l => g (Mean :: l)) + spaces r (fun l => g (Contrast :: l)) end.
Fixpoint there (sizes : list nat) (ks : list kind) : Prop :=       (* an eigenspace with a dimension *)
  match sizes, ks with
  | [], [] => True
  | N :: r, Contrast :: l => (2 <= N)%nat /\ there r l
  | _ :: r, _ :: l => there r l
  | _, _ => False end.

Lemma spaces_ext s f g : (forall k, f k = g k) -> spaces s f = spaces s g.
Proof. revert f g; induction s; simpl; intros f g e; [apply e|]. f_equal; apply IHs; intro; apply e. Qed.
Lemma spaces_scal s c f : spaces s (fun k => c * f k) = c * spaces s f.
Proof. revert f; induction s; simpl; intros; [reflexivity|]. rewrite !IHs. ring. Qed.
Lemma spaces_plus s f g : spaces s (fun k => f k + g k) = spaces s f + spaces s g.
Proof. revert f g; induction s; simpl; intros; [reflexivity|]. rewrite !IHs. ring. Qed.
Lemma spaces_total s r f : spaces s (fun k => total r (fun u => f k u)) = total r (fun u => spaces s (fun k => f k u)).
Proof. revert f; induction s; simpl; intros; [reflexivity|]. rewrite !IHs, <- total_plus. reflexivity. Qed.

Lemma spectral s F a : (forall N, In N s -> N <> 0) -> length a = length s ->
  F a = spaces s (fun k => eigen s k F * kernel s k a).
Proof.
  revert F a; induction s; intros F [|b c] nz e; simpl in *; try discriminate; [ring|].
  set (A := fun x k => eigen s k (fun b => F (x :: b)) * kernel s k c).
  rewrite (spaces_ext s _ (fun k => / a * (A true k) + (a - 1) / a * (A false k)))
    by (intro; unfold A, Rdiv; simpl; ring).
  rewrite (spaces_ext s (fun l => (eigen s l (fun b => F (true :: b)) - eigen s l (fun b => F (false :: b))) * _)
    (fun k => ((if b then 1 else 0) - / a) * A true k + - ((if b then 1 else 0) - / a) * A false k))
    by (intro; unfold A; simpl; ring).
  rewrite !spaces_plus, !spaces_scal. unfold A.
  assert (E : forall x, F (x :: c) = spaces s (fun k => eigen s k (fun b => F (x :: b)) * kernel s k c))
    by (intro x; apply (IHs (fun b => F (x :: b))); [intros; apply nz; auto | congruence]).
  rewrite <- !E. assert (a <> 0) by (apply nz; auto). destruct b; field; assumption.
Qed.

Lemma kernel_twice s ks u v : (forall N, In N s -> (1 <= N)%nat) -> length ks = length s -> valid s u -> valid s v ->
  total s (fun w => kernel (map INR s) ks (agree u w) * kernel (map INR s) ks (agree w v))
  = kernel (map INR s) ks (agree u v).
Proof.
  revert ks u v; induction s; intros [|k ks] [|i u] [|j v] one e; simpl in *; try contradiction; try discriminate; [intros; ring|].
  intros [Hi Hu] [Hj Hv]. assert (P : 0 < INR a) by (apply lt_0_INR, one; auto).
  transitivity (sum a (fun x => factor k (INR a) (Nat.eqb i x) * factor k (INR a) (Nat.eqb x j)
    * kernel (map INR s) ks (agree u v))).
  - apply sum_ext; intros x _. rewrite <- (IHs ks u v), <- total_scal; auto. apply total_ext; intros; ring.
  - set (K := kernel _ _ _). rewrite (sum_ext a _ (fun x => K * (factor k (INR a) (Nat.eqb i x) * factor k (INR a) (Nat.eqb x j)))) by (intros; ring).
    rewrite sum_scal, (Rmult_comm _ K). f_equal. destruct k; simpl.
    + rewrite sum_const. field; lra.
    + transitivity (sum a (fun x => (if Nat.eqb i x then (if Nat.eqb x j then 1 else 0) else 0)
        + (- / INR a * (if Nat.eqb i x then 1 else 0) + (- / INR a * (if Nat.eqb j x then 1 else 0) + / INR a * / INR a)))).
      * apply sum_ext; intros x _. rewrite (Nat.eqb_sym x j). destruct (Nat.eqb i x), (Nat.eqb j x); ring.
      * rewrite !sum_plus, !sum_scal, sum_const, (sum_pick a i (fun x => if Nat.eqb x j then 1 else 0)), (sum_pick a i (fun _ => 1)), (sum_pick a j (fun _ => 1)) by assumption.
        destruct (Nat.eqb i j); field; lra.
    + transitivity (sum a (fun x => if Nat.eqb i x then (if Nat.eqb x j then 1 else 0) else 0)).
      * apply sum_ext; intros x _. destruct (Nat.eqb i x), (Nat.eqb x j); ring.
      * exact (sum_pick a i (fun x => if Nat.eqb x j then 1 else 0) Hi).
Qed.

(* ---- Gram matrices ---- *)
Record gram (s : list nat) (H : matrix) : Prop := {
  gram_unit : forall u, valid s u -> H u u = 1;
  gram_sym : forall u v, H u v = H v u;
  gram_psd : forall w : point -> R, 0 <= total s (fun u => total s (fun v => w u * w v * H u v)) }.
Lemma gram_of s dims x : unit_vectors s dims x -> gram s (inner dims x).
Proof.
  intro unit. split; [exact unit | intros; apply total_ext; intros; ring | intro w].
  rewrite (total_ext s _ (fun u => total dims (fun t => total s (fun v => w u * x u t * (w v * x v t))))).
  - rewrite total_swap. apply total_pos; intros t _.
    rewrite (total_ext s _ (fun u => total s (fun v => w v * x v t) * (w u * x u t))).
    + rewrite total_scal. apply Rle_0_sqr.
    + intros u _. rewrite (Rmult_comm (total s _)), <- total_scal. reflexivity.
  - intros u _. rewrite total_swap. apply total_ext; intros v _. unfold inner. rewrite <- total_scal.
    apply total_ext; intros; ring.
Qed.
Definition share (s : list nat) (H : matrix) (ks : list kind) : R :=
  total s (fun u => total s (fun v => kernel (map INR s) ks (agree u v) * H u v)).
Lemma share_pos s H ks : (forall N, In N s -> (1 <= N)%nat) -> length ks = length s -> gram s H -> 0 <= share s H ks.
Proof.
  intros one e g. set (K := kernel (map INR s) ks).
  assert (E : share s H ks = total s (fun w => total s (fun u => total s (fun v => K (agree w u) * K (agree w v) * H u v)))).
  { unfold share. rewrite (total_swap s s (fun w u => total s (fun v => K (agree w u) * K (agree w v) * H u v))).
    apply total_ext; intros u Hu. rewrite (total_swap s s (fun w v => K (agree w u) * K (agree w v) * H u v)).
    apply total_ext; intros v Hv. unfold K.
    rewrite <- (kernel_twice s ks u v), Rmult_comm, <- total_scal by assumption.
    apply total_ext; intros w _. rewrite (agree_sym w u). ring. }
  rewrite E. apply total_pos; intros w _. apply (gram_psd s H g (fun u => K (agree w u))).
Qed.
Lemma share_none s H ks : length ks = length s -> ~ there s ks -> Forall (fun k => k <> All) ks ->
  (forall N, In N s -> (1 <= N)%nat) -> share s H ks = 0.
Proof.
  intros e no min one. unfold share. rewrite <- (total_zero s). apply total_ext; intros u Hu.
  rewrite <- (total_zero s). apply total_ext; intros v Hv.
  replace (kernel (map INR s) ks (agree u v)) with 0; [ring|]. symmetry.
  revert ks u v e no min one Hu Hv; induction s; intros [|k ks] [|i u] [|j v] e no min one Hu Hv; simpl in *; try contradiction; try discriminate.
  destruct Hu as [Hi Hu], Hv as [Hj Hv]. inversion min; subst.
  destruct k; [rewrite (IHs ks u v); auto; ring | | congruence].
  destruct (le_lt_dec 2 a) as [two|less]; [rewrite (IHs ks u v); auto; ring|].
  assert (a = 1%nat) by (specialize (one a (or_introl eq_refl)); lia). subst.
  replace i with O by lia. replace j with O by lia. simpl. rewrite Rinv_1. ring.
Qed.

Definition same (a : list bool) : R := if forallb (fun b => b) a then 1 else 0.
Lemma eigen_same s ks : length ks = length s -> Forall (fun k => k <> All) ks -> eigen s ks same = 1.
Proof.
  assert (Z : forall s ks, length ks = length s -> eigen s ks (fun _ => 0) = 0).
  { intro r; induction r as [|b r IH]; intros [|[] l] h; simpl in *; try discriminate; try reflexivity; rewrite !IH by congruence; ring. }
  revert ks; induction s; intros [|k ks] e min; simpl in *; try discriminate; [reflexivity|].
  inversion min; subst. destruct k; [| |congruence]; unfold same in *; simpl; rewrite IHs, Z by congruence; ring.
Qed.
Lemma total_same s u f : valid s u -> total s (fun v => same (agree u v) * f v) = f u.
Proof.
  revert u f; induction s; intros [|i u] f Hu; simpl in *; try contradiction; [unfold same; simpl; ring|].
  destruct Hu as [Hi Hu]. rewrite <- (sum_pick a i (fun x => f (x :: u))) by exact Hi. apply sum_ext; intros x _.
  unfold same. simpl. destruct (Nat.eqb i x); simpl.
  - exact (IHs u (fun v => f (x :: v)) Hu).
  - transitivity (total s (fun _ => 0)); [apply total_ext; intros; ring | apply total_zero].
Qed.

(* Inner products of unit vectors. *)
Lemma gram_range s H u v : gram s H -> valid s u -> valid s v -> -1 <= H u v <= 1.
Proof.
  intros g Hu Hv.
  assert (E : forall c, 0 <= H u u + c * H u v + c * (H v u + c * H v v)).
  { intro c. eapply Rle_trans; [exact (gram_psd s H g (fun a => same (agree u a) + c * same (agree v a)))|]. right.
    assert (S : forall w f, valid s w -> total s (fun b => same (agree w b) * f b) = f w) by (intros; apply total_same; assumption).
    rewrite (total_ext s _ (fun a => same (agree u a) * (H a u + c * H a v) + c * (same (agree v a) * (H a u + c * H a v)))).
    - rewrite total_plus, total_scal, !S by assumption. ring.
    - intros a _. rewrite (total_ext s _ (fun b => (same (agree u a) + c * same (agree v a)) * (same (agree u b) * H a b + c * (same (agree v b) * H a b)))) by (intros; ring).
      rewrite total_scal, total_plus, total_scal, !S by assumption. ring. }
  assert (P := E 1). assert (M := E (-1)). rewrite (gram_sym s H g v u), !(gram_unit s H g) in P, M by assumption. lra.
Qed.

Lemma agree_length s u v : valid s u -> valid s v -> length (agree u v) = length s.
Proof. revert u v; induction s; intros [|i u] [|j v]; simpl; try contradiction; [reflexivity|]. intros [_ Hu] [_ Hv]. rewrite IHs; auto. Qed.

(* <F, H> by eigenspaces, and the trace *)
Lemma by_spaces s F H : (forall N, In N s -> (1 <= N)%nat) ->
  total s (fun u => total s (fun v => F (agree u v) * H u v)) = spaces (map INR s) (fun k => eigen (map INR s) k F * share s H k).
Proof.
  intro one. assert (nz : forall N, In N (map INR s) -> N <> 0).
  { intros N h. apply in_map_iff in h as [M [<- h]]. apply not_0_INR. specialize (one M h). lia. }
  transitivity (spaces (map INR s) (fun k => total s (fun u => total s (fun v => eigen (map INR s) k F * (kernel (map INR s) k (agree u v) * H u v))))).
  - rewrite spaces_total. apply total_ext; intros u Hu. rewrite spaces_total. apply total_ext; intros v Hv.
    rewrite (spectral (map INR s) F (agree u v)) by (auto; rewrite map_length; apply agree_length; assumption).
    rewrite (Rmult_comm _ (H u v)), <- spaces_scal. apply spaces_ext; intro; ring.
  - apply spaces_ext; intro k. unfold share. rewrite <- total_scal. apply total_ext; intros u _. rewrite <- total_scal. reflexivity.
Qed.
