(* Written by cltheory. A softmax loss on points of several kinds lies above its tangent, and what the
   tangent loses is bounded kind by kind, and by one small matrix for the means of the kinds. *)
From Coq Require Import Reals Lra Lia List Arith.
Require Import cltheory_loss cltheory_gram cltheory_optimal cltheory_convex.
Import ListNotations.
Open Scope R_scope.

(* ---- positive matrices, by elimination ---- *)
Definition form (n : nat) (M T : nat -> nat -> R) : R := sum n (fun i => sum n (fun j => M i j * T i j)).
Fixpoint positive (n : nat) (M : nat -> nat -> R) : Prop :=
  match n with O => True | S k => 0 < M k k /\ positive k (fun i j => M i j - M i k * M k j / M k k) end.
Lemma form_le n A B T : (forall i j, (i < n)%nat -> (j < n)%nat -> A i j * T i j = B i j * T i j) -> form n A T = form n B T.
Proof. intro e. apply sum_ext; intros i Hi. apply sum_ext; intros j Hj. apply e; assumption. Qed.
Lemma form_plus n A B T : form n (fun i j => A i j + B i j) T = form n A T + form n B T.
Proof. unfold form. rewrite <- sum_plus. apply sum_ext; intros. rewrite <- sum_plus. apply sum_ext; intros. ring. Qed.
Lemma form_scal n c A T : form n (fun i j => c * A i j) T = c * form n A T.
Proof. unfold form. rewrite <- sum_scal. apply sum_ext; intros. rewrite <- sum_scal. apply sum_ext; intros. ring. Qed.
Lemma form_less n A T : (forall i, A i n = 0) -> (forall j, A n j = 0) -> form (S n) A T = form n A T.
Proof.
  intros Z Y. assert (E : forall m, sum m (fun j => A n j * T n j) = 0)
    by (intro m; rewrite (sum_ext m _ (fun _ => 0)); [rewrite sum_const; ring | intros; rewrite Y; ring]).
  unfold form. simpl. rewrite E, Z, Rmult_0_l, !Rplus_0_r. apply sum_ext; intros. rewrite Z. ring.
Qed.
Lemma positive_form n M T : positive n M -> (forall i j, M i j = M j i) ->
  (forall w, 0 <= form n (fun i j => w i * w j) T) -> 0 <= form n M T.
Proof.
  revert M; induction n as [|n IH]; intros M Pos Sym P; [unfold form; simpl; lra|]. destruct Pos as [D Pos].
  set (N := fun i j => M i j - M i n * M n j / M n n) in *.
  assert (E : form (S n) M T = / M n n * form (S n) (fun i j => M i n * M j n) T + form n N T).
  { rewrite <- (form_less n N T), <- form_scal, <- form_plus by (intros; unfold N; field; lra).
    apply form_le; intros i j _ _. unfold N. rewrite (Sym n j). field. lra. }
  rewrite E. apply Rplus_le_le_0_compat.
  - apply Rmult_le_pos; [left; apply Rinv_0_lt_compat; exact D | exact (P (fun i => M i n))].
  - apply IH; [exact Pos | intros i j; unfold N; rewrite (Sym i j), (Sym i n), (Sym n j); field; lra|].
    intro w. specialize (P (fun i => if Nat.ltb i n then w i else 0)). rewrite form_less in P.
    + rewrite (form_le n _ (fun i j => w i * w j)) in P; [exact P|].
      intros i j Hi Hj. cbv beta. apply Nat.ltb_lt in Hi as ->. apply Nat.ltb_lt in Hj as ->. reflexivity.
    + intro i. rewrite Nat.ltb_irrefl. ring.
    + intro j. rewrite Nat.ltb_irrefl. ring.
Qed.
Lemma form_sym n M T : (forall i j, T i j = T j i) -> form n M T = form n (fun i j => (M i j + M j i) / 2) T.
Proof.
  intro S. assert (E : form n (fun i j => M j i) T = form n M T).
  { unfold form. rewrite sum_swap. apply sum_ext; intros. apply sum_ext; intros. rewrite S. reflexivity. }
  rewrite (form_le n (fun i j => (M i j + M j i) / 2) (fun i j => / 2 * (M i j + M j i))) by (intros; unfold Rdiv; ring).
  rewrite form_scal, form_plus, E. field.
Qed.

(* ---- sums over all points ---- *)
Lemma all_le kinds f g : (forall u, belongs kinds u -> f u <= g u) -> total_of kinds f <= total_of kinds g.
Proof. intro e. apply sum_le; intros k Hk. apply total_le; intros u Hu. apply e. split; assumption. Qed.
Lemma all_ext kinds f g : (forall u, belongs kinds u -> f u = g u) -> total_of kinds f = total_of kinds g.
Proof. intro e. apply sum_ext; intros k Hk. apply total_ext; intros u Hu. apply e. split; assumption. Qed.
Lemma all_plus kinds f g : total_of kinds (fun u => f u + g u) = total_of kinds f + total_of kinds g.
Proof. unfold total_of. rewrite <- sum_plus. apply sum_ext; intros. apply total_plus. Qed.
Lemma all_scal kinds c f : total_of kinds (fun u => c * f u) = c * total_of kinds f.
Proof. unfold total_of. rewrite <- sum_scal. apply sum_ext; intros. apply total_scal. Qed.
Lemma all_minus kinds f g : total_of kinds (fun u => f u - g u) = total_of kinds f - total_of kinds g.
Proof. rewrite (all_ext kinds _ (fun u => f u + (-1) * g u)) by (intros; ring). rewrite all_plus, all_scal. ring. Qed.

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
Proof.
  rewrite (total_ext s _ (fun _ => c * 1)), total_scal, total_one by (intros; ring). unfold card.
  replace (fold_right (fun N a => INR N * a) 1 s) with (fold_right Rmult 1 (map INR s)); [ring|]. induction s; simpl; congruence.
Qed.
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
Section Pairs.
Variables (kinds : list (list nat)) (dims : list nat) (x : member -> point -> R).
Hypothesis one : forall s N, In s kinds -> In N s -> (1 <= N)%nat.
Hypothesis unit : unit_members kinds dims x.
Notation size_of i := (nth i kinds []).
Definition across (i j : nat) : R := total (size_of i) (fun u => total (size_of j) (fun v => inner dims x (i, u) (j, v))).
Lemma across_at i j : across i j = total dims (fun t => total (size_of i) (fun u => x (i, u) t) * total (size_of j) (fun v => x (j, v) t)).
Proof.
  unfold across, inner. rewrite (total_ext (size_of i) _ (fun u => total dims (fun t => total (size_of j) (fun v => x (j, v) t) * x (i, u) t))).
  - rewrite total_swap. apply total_ext; intros. rewrite total_scal. ring.
  - intros u _. rewrite total_swap. apply total_ext; intros t _. rewrite Rmult_comm, <- total_scal. reflexivity.
Qed.
Lemma across_psd w : 0 <= form (length kinds) (fun i j => w i * w j) across.
Proof.
  set (X := fun i t => total (size_of i) (fun u => x (i, u) t)).
  apply Rle_trans with (total dims (fun t => Rsqr (sum (length kinds) (fun i => w i * X i t)))); [apply total_pos; intros; apply Rle_0_sqr|].
  right. unfold form. rewrite (sum_ext _ _ (fun i => total dims (fun t => sum (length kinds) (fun j => w j * X j t) * (w i * X i t)))).
  - rewrite <- total_sum. apply total_ext; intros. rewrite sum_scal. reflexivity.
  - intros i _. rewrite (sum_ext _ _ (fun j => total dims (fun t => w i * w j * (X i t * X j t)))) by (intros; rewrite across_at, total_scal; reflexivity).
    rewrite <- total_sum. apply total_ext; intros t _. rewrite (Rmult_comm (sum _ _)), <- sum_scal. apply sum_ext; intros; unfold X; ring.
Qed.
Definition means (A : relation -> R) (c : nat -> R) (i j : nat) : R :=
  ((if Nat.eqb i j then c i else A (i, j, [])) + (if Nat.eqb j i then c j else A (j, i, []))) / 2.
Lemma pairs_above (A : relation -> R) (y c : nat -> R) :
  (forall i, (i < length kinds)%nat -> multipliers (size_of i) (fun a => A (i, i, a) - c i) (y i)) ->
  positive (length kinds) (means A c) ->
  sum_of (reals kinds) y <= total_of kinds (fun u => total_of kinds (fun w => A (between_members u w) * inner dims x u w)).
Proof.
  intros E P. unfold total_of at 1. set (M := fun i j => if Nat.eqb i j then c i else A (i, j, [])).
  assert (F : 0 <= form (length kinds) M across).
  { rewrite form_sym by (intros; rewrite !across_at; apply total_ext; intros; ring).
    apply (positive_form _ (means A c)); [exact P | intros; unfold means; lra | exact across_psd]. }
  apply Rle_trans with (sum_of (reals kinds) y + form (length kinds) M across); [lra|].
  unfold sum_of, form. rewrite map_length, <- sum_plus. apply sum_le; intros i Hi. rewrite at_kind.
  rewrite (total_ext _ _ (fun u => sum (length kinds) (fun j => total (size_of j) (fun v => A (between_members (i, u) (j, v)) * inner dims x (i, u) (j, v))))) by reflexivity.
  rewrite total_sum. assert (one' : forall N, In N (size_of i) -> (1 <= N)%nat) by (intros; apply (one (size_of i)); [apply nth_In; exact Hi | assumption]).
  assert (L := above_level (size_of i) (fun a => A (i, i, a) - c i) one' (y i) _ (E i Hi)
    (gram_of (size_of i) dims (fun u => x (i, u)) (fun u Hu => unit (i, u) (conj Hi Hu)))).
  rewrite const_at, Rmult_1_r, Rmult_comm in L.
  rewrite (total_ext (size_of i) _ (fun u => total (size_of i) (fun v => A (i, i, agree u v) * inner dims x (i, u) (i, v))
    - c i * total (size_of i) (fun v => inner dims x (i, u) (i, v)))) in L
    by (intros; rewrite <- total_scal, <- total_minus; apply total_ext; intros; unfold inner; ring).
  rewrite total_minus, total_scal in L. fold (across i i) in L.
  set (Q := fun j => total (size_of i) (fun u => total (size_of j) (fun v => A (between_members (i, u) (j, v)) * inner dims x (i, u) (j, v)))).
  assert (G : forall j, M i j * across i j + (if Nat.eqb i j then Q i - c i * across i i else 0) = Q j).
  { intro j. unfold M, Q, between_members. simpl. destruct (Nat.eqb_spec i j) as [<-|ne]; [rewrite ?Nat.eqb_refl; ring|]. rewrite Rplus_0_r.
    unfold across. rewrite <- total_scal. apply total_ext; intros. rewrite <- total_scal. reflexivity. }
  change (card (map INR (size_of i)) * y i + sum (length kinds) (fun j => M i j * across i j) <= sum (length kinds) Q).
  rewrite <- (sum_ext (length kinds) _ _ (fun j _ => G j)), sum_plus, (sum_pick (length kinds) i (fun _ => Q i - c i * across i i)) by exact Hi.
  unfold Q at 1, between_members. simpl. rewrite Nat.eqb_refl. lra.
Qed.
End Pairs.

(* ---- the loss ---- *)
Definition part_of_kind (sizes : list (list R)) (tau : R) (h : relation -> R) (t : member_term) (i : nat) : R :=
  row_of sizes i (fun r => its_denominator t r * exp (h r / tau)).
Definition pull (sizes : list (list R)) (tau : R) (terms : list member_term) (h : relation -> R) (r : relation) : R :=
  over terms (fun t => its_weight t * (its_denominator t r * exp (h r / tau) / part_of_kind sizes tau h t (fst (fst r)) - its_positives t r)).
Definition value_of_kinds (sizes : list (list R)) (tau : R) (terms : list member_term) (h : relation -> R) : R :=
  sum_of sizes (fun i => over terms (fun t => its_weight t * (ln (part_of_kind sizes tau h t i)
    - row_of sizes i (fun r => its_positives t r * (h r / tau))))) / sum_of sizes (fun _ => 1).
Definition slack (sizes : list (list R)) (tau : R) (A h : relation -> R) (y : nat -> R) : R :=
  sum_of sizes (fun i => y i - row_of sizes i (fun r => A r * h r)) / tau / sum_of sizes (fun _ => 1).
Record convex_kinds (sizes : list (list R)) (tau : R) (terms : list member_term) (h : relation -> R) : Prop := {
  its_tau : 0 < tau;
  its_weights : forall t, In t terms -> 0 <= its_weight t;
  its_denominators : forall t r, In t terms -> 0 <= its_denominator t r;
  its_parts : forall t i, In t terms -> (i < length sizes)%nat -> 0 < part_of_kind sizes tau h t i }.

Section Loss.
Variables (kinds : list (list nat)) (tau : R) (terms : list member_term) (h : relation -> R) (y c : nat -> R).
Notation sizes := (reals kinds).
Hypothesis one : forall s N, In s kinds -> In N s -> (1 <= N)%nat.
Hypothesis some : 0 < sum_of sizes (fun _ => 1).
Hypothesis ok : convex_kinds sizes tau terms h.
Notation A := (pull sizes tau terms h).
Notation H0 := (fun u w => h (between_members u w)).
Lemma part_at t u : belongs kinds u ->
  total_of kinds (fun w => its_denominator t (between_members u w) * exp (H0 u w / tau)) = part_of_kind sizes tau h t (fst u).
Proof. intro Hu. exact (row_of_at kinds (fun r => its_denominator t r * exp (h r / tau)) u Hu). Qed.
Lemma kinds_tangent H u : belongs kinds u ->
  over terms (member_loss kinds tau H0 u) + / tau * total_of kinds (fun w => A (between_members u w) * (H u w - H0 u w))
  <= over terms (member_loss kinds tau H u).
Proof.
  intro Hu. assert (T := its_tau _ _ _ _ ok).
  assert (E : / tau * total_of kinds (fun w => A (between_members u w) * (H u w - H0 u w))
    = over terms (fun t => its_weight t * (total_of kinds (fun w => its_denominator t (between_members u w) * exp (H0 u w / tau) / part_of_kind sizes tau h t (fst u) * (H u w / tau - H0 u w / tau))
      - (total_of kinds (fun w => its_positives t (between_members u w) * (H u w / tau)) - total_of kinds (fun w => its_positives t (between_members u w) * (H0 u w / tau)))))).
  { rewrite <- all_scal. unfold pull. clear. induction terms as [|t l IH]; simpl.
    - rewrite (all_ext kinds _ (fun _ => 0 * 0)) by (intros; ring). rewrite all_scal. ring.
    - rewrite <- IH, <- !all_minus, <- all_scal, <- all_plus. apply all_ext; intros w _. unfold between_members. simpl. unfold Rdiv; ring. }
  cbv beta in E |- *. rewrite E, <- over_plus. apply over_le; intros t Ht. unfold member_loss. rewrite <- Rmult_plus_distr_l.
  apply Rmult_le_compat_l; [apply (its_weights _ _ _ _ ok); exact Ht|].
  assert (Z := part_at t u Hu). assert (PZ : 0 < part_of_kind sizes tau h t (fst u))
    by (apply (its_parts _ _ _ _ ok); [exact Ht | rewrite map_length; apply Hu]).
  assert (L := lse_above_of (belongs kinds) (total_of kinds) (fun w => its_denominator t (between_members u w)) (fun w => H0 u w / tau) (fun w => H u w / tau)
    (all_le kinds) (all_plus kinds) (all_scal kinds) (fun w _ => its_denominators _ _ _ _ ok t _ Ht)).
  cbv beta zeta in L. rewrite Z in L. specialize (L PZ). rewrite Z. lra.
Qed.
Lemma kinds_value_at : loss_of_kinds kinds tau terms H0 = value_of_kinds sizes tau terms h.
Proof.
  unfold loss_of_kinds, value_of_kinds. f_equal; [|f_equal]; apply sum_of_at; [|reflexivity]. intros u Hu.
  apply over_ext; intros t _. unfold member_loss. rewrite part_at by exact Hu. do 3 f_equal.
  exact (row_of_at kinds (fun r => its_positives t r * (h r / tau)) u Hu).
Qed.
Theorem kinds_bound dims x : unit_members kinds dims x ->
  (forall i, (i < length kinds)%nat -> multipliers (nth i kinds []) (fun a => A (i, i, a) - c i) (y i)) ->
  positive (length kinds) (means A c) ->
  value_of_kinds sizes tau terms h + slack sizes tau A h y <= loss_of_kinds kinds tau terms (inner dims x).
Proof.
  intros unit E P. assert (B := pairs_above kinds dims x one unit A y c E P). assert (T := its_tau _ _ _ _ ok).
  rewrite <- kinds_value_at. unfold loss_of_kinds, slack.
  assert (N : total_of kinds (fun _ => 1) = sum_of sizes (fun _ => 1)) by (apply sum_of_at; reflexivity). rewrite N.
  apply Rmult_le_reg_r with (sum_of sizes (fun _ => 1)); [exact some|]. unfold Rdiv.
  rewrite Rmult_plus_distr_r, !Rmult_assoc, Rinv_l, !Rmult_1_r by lra.
  eapply Rle_trans; [|apply all_le; intros u Hu; exact (kinds_tangent (inner dims x) u Hu)].
  rewrite all_plus, all_scal. apply Rplus_le_compat_l. rewrite (Rmult_comm _ (/ tau)). apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat; exact T|].
  rewrite (all_ext kinds (fun u => total_of kinds (fun w => _ * (_ - _))) (fun u => total_of kinds (fun w => A (between_members u w) * inner dims x u w) - row_of sizes (fst u) (fun r => A r * h r))).
  - rewrite all_minus, (sum_of_at kinds (fun u => row_of sizes (fst u) _) (fun i => row_of sizes i (fun r => A r * h r))) by reflexivity.
    unfold sum_of in *. apply Rle_trans with (sum (length sizes) (fun i => card (nth i sizes []) * y i) - sum (length sizes) (fun i => card (nth i sizes []) * row_of sizes i (fun r => A r * h r))); [|lra].
    right. rewrite <- (Rplus_0_r (sum _ _)) at 1. generalize (length sizes). clear. induction n; simpl; lra.
  - intros u Hu. rewrite <- (row_of_at kinds (fun r => A r * h r) u Hu), <- all_minus. apply all_ext; intros; ring.
Qed.
End Loss.
