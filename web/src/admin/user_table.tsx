/** Users with what they have used, and what can be done for them. */
import { useState } from "preact/hooks";
import { admin, METER_WORDS, type Plan, type Usage } from "../accounts/usage.ts";
import { Bar } from "../accounts/usage_meter.tsx";
import type { Act } from "./admin.tsx";

export function UserTable({ users, plans, act }: { users: Usage[]; plans: Plan[]; act: Act }) {
  return (
    <ul class="users">
      {users.map((user) => (
        <UserRow key={user.userId} user={user} plans={plans} act={act} />
      ))}
    </ul>
  );
}

function UserRow({ user, plans, act }: { user: Usage; plans: Plan[]; act: Act }) {
  const [sessions, setSessions] = useState("1");
  const [cents, setCents] = useState(user.ownLimits.monthlyCostLimitCents?.toString() ?? "");
  const who = user.displayName ?? user.userId;
  const open = plans.filter((plan) => !plan.isRetired || plan.name === user.subscribedPlan);
  return (
    <li>
      <strong>{who}</strong>
      <label>
        Plan
        <select
          aria-label={`Plan of ${who}`}
          value={user.subscribedPlan}
          onChange={(event) => {
            const plan = event.currentTarget.value;
            void act(() => admin.putOnPlan(user.userId, plan));
          }}
        >
          {open.map((plan) => (
            <option key={plan.name} value={plan.name}>
              {plan.displayName}
            </option>
          ))}
        </select>
      </label>
      {user.plan.name !== user.subscribedPlan && (
        <small>
          {user.status}: limits of {user.plan.displayName}
        </small>
      )}
      <dl>
        {user.meters.map((meter) => (
          <div key={meter.limitType}>
            <dt>{METER_WORDS[meter.limitType]}</dt>
            <dd>
              {meter.used} of {meter.limit ?? "unlimited"}
              {meter.limit !== null && <Bar meter={meter} />}
            </dd>
          </div>
        ))}
      </dl>
      <form
        class="actions"
        onSubmit={(event) => {
          event.preventDefault();
          void act(() => admin.grant(user.userId, Number(sessions)));
        }}
      >
        <label>
          Conversations to grant
          <input
            type="number"
            min={1}
            required
            value={sessions}
            onInput={(event) => setSessions(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Grant</button>
        <button type="button" onClick={() => void act(() => admin.reset(user.userId))}>
          Reset counters
        </button>
        {user.apiKeys > 0 && (
          <button type="button" onClick={() => void act(() => admin.revokeKeys(user.userId))}>
            Revoke {user.apiKeys} {user.apiKeys === 1 ? "key" : "keys"}
          </button>
        )}
      </form>
      <form
        class="actions"
        onSubmit={(event) => {
          event.preventDefault();
          const monthlyCostLimitCents = cents === "" ? null : Number(cents);
          void act(() => admin.limit(user.userId, { ...user.ownLimits, monthlyCostLimitCents }));
        }}
      >
        <label>
          Budget of their own, cents a month
          <input
            type="number"
            min={0}
            placeholder="the plan's"
            value={cents}
            onInput={(event) => setCents(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Set budget</button>
      </form>
    </li>
  );
}
