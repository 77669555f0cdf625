(* Written by cltheory. What the tangent of a softmax loss on points of several kinds loses is bounded
   kind by kind, and by one small matrix for the means of the kinds. *)
From Coq Require Import Reals Lra Lia List Arith.
Require Import cltheory_loss cltheory_gram cltheory_optimal cltheory_convex.
Import ListNotations.
Open Scope R_scope.

(* ---- positive matrices, by elimination ---- *)
Definition quadratic (n : nat) (M : nat -> nat -> R) (S : nat -> R) : R := sum n (fun i => sum n (fun j => M i j * (S i * S j))).
Fixpoint positive (n : nat) (M : nat -> nat -> R) : Prop :=
  match n with O => True | S k => 0 < M k k /\ positive k (fun i j => M i j - (M i k + M k i) * (M k j + M j k) / (4 * M k k)) end.
Lemma quadratic_pos n M : positive n M -> forall S, 0 <= quadratic n M S.
Proof.
  intros pos S. unfold quadratic. revert M pos; induction n as [|n IH]; intros M pos; simpl; [lra|]. destruct pos as [D pos]. apply IH in pos.
  set (l := sum n (fun i => (M i n + M n i) * S i)). rewrite sum_plus.
  assert (cross : sum n (fun i => M i n * (S i * S n)) + sum n (fun j => M n j * (S n * S j)) = S n * l)
    by (unfold l; rewrite <- sum_plus, <- sum_scal; apply sum_ext; intros; ring).
  rewrite (sum_ext n _ (fun i => sum n (fun j => M i j * (S i * S j)) - l / (4 * M n n) * ((M i n + M n i) * S i))), (lin_minus (sum_linear n)), sum_scal in pos.
  - fold l in pos. assert (Q : 0 <= M n n * ((S n + l / (2 * M n n)) * (S n + l / (2 * M n n)))) by (apply Rmult_le_pos; [lra | apply Rle_0_sqr]).
    replace (M n n * _) with (M n n * (S n * S n) + S n * l + l / (4 * M n n) * l) in Q by (field; lra). lra.
  - intros i _. rewrite (sum_ext n _ (fun j => M i j * (S i * S j) - (M i n + M n i) * S i / (4 * M n n) * ((M j n + M n j) * S j))) by (intros; unfold Rdiv; ring).
    rewrite (lin_minus (sum_linear n)), sum_scal. fold l. unfold Rdiv. ring.
Qed.

(* ---- sums over all points ---- *)
Lemma all_linear kinds : linear (belongs kinds) (total_of kinds).
Proof. apply (nested_linear pair (sum_linear _) (fun k => total_linear (nth k kinds []))). intros; split; assumption. Qed.
Lemma all_swap {P} {ok : P -> Prop} {T} (L : linear ok T) kinds f :
  T (fun w => total_of kinds (fun u => f w u)) = total_of kinds (fun u => T (fun w => f w u)).
Proof. unfold total_of. rewrite (lin_sum L). apply sum_ext; intros. apply (lin_total L). Qed.

(* Of what depends on the relation only; sizes are real numbers. *)
Definition card (s : list R) : R := fold_right Rmult 1 s.
Definition row_of (sizes : list (list R)) (i : nat) (F : relation -> R) : R :=
  sum (length sizes) (fun j => if Nat.eqb i j then row (nth j sizes []) (fun a => F (i, j, a))
                               else card (nth j sizes []) * F (i, j, [])).
Definition sum_of (sizes : list (list R)) (g : nat -> R) : R := sum (length sizes) (fun i => card (nth i sizes []) * g i).
Notation reals := (map (map INR)).
Lemma at_kind kinds j : nth j (reals kinds) [] = map INR (nth j kinds []).
Proof. exact (map_nth (map INR) kinds [] j). Qed.
Lemma const_at s c : total s (fun _ => c) = card (map INR s) * c.
Proof. rewrite total_const, total_one. apply Rmult_comm. Qed.
Lemma row_of_at kinds F u : belongs kinds u -> total_of kinds (fun w => F (between_members u w)) = row_of (reals kinds) (fst u) F.
Proof.
  destruct u as [i u]. intros [Hi Hu]. unfold row_of, total_of. rewrite map_length. simpl in *. apply sum_ext; intros j Hj.
  rewrite at_kind. unfold between_members. simpl. destruct (Nat.eqb_spec i j) as [<-|ne].
  - exact (total_agree _ (fun a => F (i, i, a)) u Hu).
  - apply const_at.
Qed.
Lemma sum_of_at kinds f g : (forall u, belongs kinds u -> f u = g (fst u)) -> total_of kinds f = sum_of (reals kinds) g.
Proof.
  intro e. unfold sum_of. rewrite map_length. apply sum_ext; intros k Hk. rewrite at_kind, <- const_at.
  apply total_ext; intros u Hu. apply (e (k, u)). split; assumption.
Qed.

(* ---- what unit vectors have ---- *)
Definition means (A : relation -> R) (c : nat -> R) (i j : nat) : R := if Nat.eqb i j then c i else A (i, j, []).
Section Pairs.
Variables (kinds : list (list nat)) (A : relation -> R) (y c : nat -> R).
Hypothesis one : forall s N, In s kinds -> In N s -> (1 <= N)%nat.
Hypothesis own : forall i, (i < length kinds)%nat -> multipliers (nth i (reals kinds) []) (fun a => A (i, i, a) - c i) (y i).
Hypothesis between : forall S, 0 <= quadratic (length kinds) (means A c) S.
Lemma numbers_above (f : member -> R) :
  total_of kinds (fun u => y (fst u) * (f u * f u)) <= total_of kinds (fun u => total_of kinds (fun w => A (between_members u w) * (f u * f w))).
Proof.
  set (n := length kinds) in *. set (S := fun i => total (nth i kinds []) (fun u => f (i, u))).
  set (M := means A c) in *. assert (Q := between S).
  apply Rle_trans with (total_of kinds (fun u => y (fst u) * (f u * f u)) + quadratic n M S); [lra|].
  unfold total_of, quadratic. fold n. rewrite <- sum_plus. apply (lin_le (sum_linear _)); intros i Hi. rewrite (lin_sum (total_linear _)).
  assert (B := form_above _ _ _ (fun u => f (i, u)) (fun N h => one _ N (nth_In kinds [] Hi) h) (eq_ind _ (fun r => multipliers r _ _) (own i Hi) _ (at_kind kinds i))).
  set (q := fun j => total (nth i kinds []) (fun u => total (nth j kinds []) (fun v => A (between_members (i, u) (j, v)) * (f (i, u) * f (j, v))))).
  assert (P : forall j, S i * S j = total (nth i kinds []) (fun u => total (nth j kinds []) (fun v => f (i, u) * f (j, v)))).
  { intro j. unfold S. rewrite Rmult_comm, <- total_scal. apply total_ext; intros. rewrite Rmult_comm, <- total_scal. reflexivity. }
  assert (D : form (nth i kinds []) (fun a => A (i, i, a) - c i) (fun u => f (i, u)) = q i - c i * (S i * S i)).
  { rewrite P, <- total_scal. unfold q. rewrite <- total_minus. apply total_ext; intros. rewrite <- total_scal, <- total_minus.
    apply total_ext; intros. unfold between_members. simpl. rewrite Nat.eqb_refl. ring. }
  rewrite (sum_ext n q (fun j => (if Nat.eqb i j then q i - c i * (S i * S i) else 0) * 1 + M i j * (S i * S j))).
  - rewrite sum_plus, (sum_agree n i _ 0 (fun _ => 1)) by exact Hi. simpl. cbv beta in B. lra.
  - intros j Hj. unfold M, means. destruct (Nat.eqb_spec i j) as [<-|ne]; [ring|].
    rewrite P, <- total_scal. unfold q, between_members. simpl. apply Nat.eqb_neq in ne. rewrite ne, Rmult_0_l, Rplus_0_l.
    apply total_ext; intros. rewrite <- total_scal. reflexivity.
Qed.
Lemma pairs_above dims x : unit_members kinds dims x ->
  sum_of (reals kinds) y <= total_of kinds (fun u => total_of kinds (fun w => A (between_members u w) * inner dims x u w)).
Proof.
  intro unit. rewrite <- (sum_of_at kinds (fun u => y (fst u))) by reflexivity.
  exact (above_units (all_linear kinds) (fun u w => A (between_members u w)) _ dims x numbers_above unit).
Qed.
End Pairs.

(* ---- the loss ---- *)
Definition pull (sizes : list (list R)) (tau : R) (terms : list member_term) (h : relation -> R) (r : relation) : R :=
  gradient_by (row_of sizes (fst (fst r))) tau terms h r.
Definition value_of_kinds (sizes : list (list R)) (tau : R) (terms : list member_term) (h : relation -> R) : R :=
  sum_of sizes (fun i => value_by (row_of sizes i) tau terms h) / sum_of sizes (fun _ => 1).
Definition slack (sizes : list (list R)) (tau : R) (A h : relation -> R) (y : nat -> R) : R :=
  sum_of sizes (fun i => y i - row_of sizes i (fun r => A r * h r)) / tau / sum_of sizes (fun _ => 1).

Section Loss.
Variables (kinds : list (list nat)) (tau : R) (terms : list member_term) (h : relation -> R) (y c : nat -> R).
Notation sizes := (reals kinds).
Hypothesis one : forall s N, In s kinds -> In N s -> (1 <= N)%nat.
Hypothesis some : 0 < sum_of sizes (fun _ => 1).
Hypothesis tau_low : 0 < tau.
Hypothesis ok : forall i, (i < length kinds)%nat -> convex_by (row_of sizes i) tau terms h.
Notation A := (pull sizes tau terms h).
Definition member_at u Hu := softmax_at (all_linear kinds) between_members (row_of sizes (fst u)) tau terms h u (fun F => row_of_at kinds F u Hu) (ok _ (proj1 Hu)).
Lemma kinds_value_at : loss_of_kinds kinds tau terms (fun u w => h (between_members u w)) = value_of_kinds sizes tau terms h.
Proof. unfold loss_of_kinds, value_of_kinds. f_equal; [|f_equal]; apply sum_of_at; [exact (fun u Hu => proj2 (member_at u Hu)) | reflexivity]. Qed.
Theorem kinds_bound dims x : unit_members kinds dims x ->
  (forall i, (i < length kinds)%nat -> multipliers (nth i sizes []) (fun a => A (i, i, a) - c i) (y i)) ->
  (forall S, 0 <= quadratic (length kinds) (means A c) S) ->
  value_of_kinds sizes tau terms h + slack sizes tau A h y <= loss_of_kinds kinds tau terms (inner dims x).
Proof.
  intros unit E P. assert (B := pairs_above kinds A y c one E P dims x unit). assert (L := all_linear kinds).
  rewrite <- kinds_value_at. unfold loss_of_kinds, slack. replace (total_of kinds (fun _ => 1)) with (sum_of sizes (fun _ => 1)) by (symmetry; apply sum_of_at; reflexivity).
  unfold Rdiv. rewrite <- Rmult_plus_distr_r. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, some|].
  eapply Rle_trans; [|apply (lin_le L); intros u Hu; exact (above_tangent _ _ _ (fun w => / tau * A (between_members u w)) _ (proj1 (member_at u Hu)) _)].
  rewrite (lin_plus L). apply Rplus_le_compat_l. set (H := inner dims x) in *.
  rewrite (lin_ext L (fun u => total_of kinds _) (fun u => / tau * (total_of kinds (fun w => A (between_members u w) * H u w) - row_of sizes (fst u) (fun r => A r * h r)))).
  - rewrite (lin_scal L), (lin_minus L), (sum_of_at kinds (fun u => row_of _ (fst u) _) (fun i => row_of sizes i (fun r => A r * h r))), Rmult_comm by reflexivity.
    apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat, tau_low|]. unfold sum_of in *.
    rewrite (sum_ext _ _ (fun i => card (nth i sizes []) * y i - card (nth i sizes []) * row_of sizes i (fun r => A r * h r))), (lin_minus (sum_linear _)) by (intros; ring). lra.
  - intros u Hu. rewrite <- (row_of_at kinds (fun r => A r * h r) u Hu), <- (lin_minus L), <- (lin_scal L). apply (lin_ext L); intros; ring.
Qed.
End Loss.
