/** The administrator's page: plans, users, and who changed what. */
import "../style/admin.css";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { admin, type Plan, type PlanChange, type Usage } from "../accounts/usage.ts";
import { Icon } from "../icons.tsx";
import { PlanForm } from "./plan_form.tsx";
import { SpendReport } from "./spend_report.tsx";
import { UserTable } from "./user_table.tsx";

const USERS_AT_ONCE = 100;

interface Everything {
  plans: Plan[];
  users: Usage[];
  areMore: boolean;
  changes: PlanChange[];
}

export function Admin() {
  const [loaded, setLoaded] = useState<Everything | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [editing, setEditing] = useState<Plan | "new" | null>(null);
  const [shown, setShown] = useState(USERS_AT_ONCE);
  const asked = useRef(0);
  const load = useCallback(async () => {
    const number = ++asked.current;
    try {
      const [plans, users, changes] = await Promise.all([admin.plans(), admin.users(shown), admin.changes()]);
      if (number === asked.current) setLoaded({ plans, ...users, changes }); // an answer that was overtaken is old
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }, [shown]);
  useEffect(() => {
    document.title = "Plans and users · Flamechat";
    void load();
  }, [load]);
  const failed = useCallback(
    (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    [],
  );
  const act = async (action: () => Promise<unknown>): Promise<boolean> => {
    try {
      setProblem(null);
      await action();
      await load();
      return true;
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      return false;
    }
  };
  return (
    <main class="admin">
      <h1>Plans and users</h1>
      {problem && (
        <div class="banner" role="alert">
          <Icon name="warning" />
          <span>{problem}</span>
        </div>
      )}
      {loaded && (
        <>
          <header>
            <h2>Plans</h2>
            <button type="button" onClick={() => setEditing("new")}>
              New plan
            </button>
          </header>
          {editing && (
            <PlanForm
              key={editing === "new" ? "" : editing.name}
              plan={editing === "new" ? null : editing}
              close={() => setEditing(null)}
              act={act}
            />
          )}
          <PlanTable plans={loaded.plans} edit={setEditing} act={act} />
          <h2>Users</h2>
          <UserTable users={loaded.users} plans={loaded.plans} act={act} />
          {loaded.areMore && (
            <button type="button" onClick={() => setShown(loaded.users.length + USERS_AT_ONCE)}>
              Show more users
            </button>
          )}
          <h2>Spend</h2>
          <SpendReport failed={failed} />
          <h2>Changes</h2>
          <ChangeList changes={loaded.changes} />
        </>
      )}
    </main>
  );
}

export type Act = (action: () => Promise<unknown>) => Promise<boolean>;

function PlanTable({ plans, edit, act }: { plans: Plan[]; edit: (plan: Plan) => void; act: Act }) {
  const limit = (value: number | null) => (value === null ? "unlimited" : value.toLocaleString("en"));
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Plans">
      <table>
        <thead>
          <tr>
            {["Plan", "Messages each", "Conversations", "Uploads a month", "Traces", "Kept for"].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {plans.map((plan) => (
            <tr key={plan.name} data-retired={plan.isRetired || undefined}>
              <th scope="row">
                {plan.displayName} <small>{plan.isRetired ? `${plan.name}, retired` : plan.name}</small>
              </th>
              <td>{limit(plan.chatMessagesPerSession)}</td>
              <td>
                {limit(plan.chatSessionsLimit)}
                {plan.chatSessionsPeriod && (plan.chatSessionsPeriod === "monthly" ? " a month" : " in all")}
              </td>
              <td>{limit(plan.monthlyUploadLimit)}</td>
              <td>{limit(plan.totalTraceLimit)}</td>
              <td>{plan.retentionDays === null ? "ever" : `${plan.retentionDays} days`}</td>
              <td class="actions">
                <button type="button" aria-label={`Change ${plan.name}`} onClick={() => edit(plan)}>
                  Change
                </button>
                {!plan.isRetired && plan.name !== "free" && (
                  <button
                    type="button"
                    aria-label={`Retire ${plan.name}`}
                    onClick={() => void act(() => admin.retire(plan.name))}
                  >
                    Retire
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ChangeList({ changes }: { changes: PlanChange[] }) {
  if (changes.length === 0) return <p class="note">Nothing was changed yet.</p>;
  return (
    <ul class="plan-changes">
      {changes.map((change, index) => (
        <li key={index}>
          <time dateTime={change.changedAt}>{new Date(change.changedAt).toLocaleString()}</time>{" "}
          {change.action.replaceAll("_", " ")} {change.planName}
          {change.userId && <small> of {change.userId}</small>}
          {change.reason && <em>: {change.reason}</em>}
        </li>
      ))}
    </ul>
  );
}
