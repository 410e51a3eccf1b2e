/** A plan's limits to be filled in; an empty field is unlimited. Before saving it says whom a change would stop. */
import { useState } from "preact/hooks";
import { admin, type Forecast, type Plan } from "../accounts/usage.ts";
import type { Act } from "./admin.tsx";

type Ceiling =
  | "chatMessagesPerSession"
  | "chatSessionsLimit"
  | "monthlyUploadLimit"
  | "totalTraceLimit"
  | "retentionDays"
  | "monthlyCostLimitCents"
  | "monthlyTokenLimit"
  | "turnTokenLimit"
  | "apiKeysLimit"
  | "apiRequestsPerMinute"
  | "monthlyRenderLimit";

const FIELDS: [Ceiling, string][] = [
  ["chatMessagesPerSession", "Messages in a conversation"],
  ["chatSessionsLimit", "Conversations"],
  ["monthlyUploadLimit", "Uploads a month"],
  ["totalTraceLimit", "Traces held"],
  ["retentionDays", "Days that traces are kept"],
  ["monthlyCostLimitCents", "Budget a month, in cents"],
  ["monthlyTokenLimit", "Tokens a month"],
  ["turnTokenLimit", "Tokens of one answer"],
  ["apiKeysLimit", "Keys for programs"],
  ["apiRequestsPerMinute", "Requests of keys a minute"],
  ["monthlyRenderLimit", "Pictures a month"],
];

/** What begins at one. */
const FROM_ONE: Ceiling[] = ["retentionDays", "turnTokenLimit", "apiRequestsPerMinute"];

type Names = "chatModels" | "hiddenTools";

const LISTS: [Names, string, string][] = [
  ["chatModels", "Models, the first is the default", "those of the server"],
  ["hiddenTools", "Tools that are left out", "none"],
];

/** Names with commas between them. */
function split(text: string): string[] {
  return text
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
}

export function PlanForm({ plan, close, act }: { plan: Plan | null; close: () => void; act: Act }) {
  const [name, setName] = useState(plan?.name ?? "");
  const [displayName, setDisplayName] = useState(plan?.displayName ?? "");
  const [period, setPeriod] = useState(plan?.chatSessionsPeriod ?? "monthly");
  const [overBudget, setOverBudget] = useState(plan?.overBudget ?? "refuse");
  const [cents, setCents] = useState(String(plan?.priceMonthlyCents ?? 0));
  const [sharing, setSharing] = useState(plan?.allowPublicSharing ?? false);
  const [ceilings, setCeilings] = useState<Record<string, string>>(
    Object.fromEntries(FIELDS.map(([field]) => [field, plan?.[field]?.toString() ?? ""])),
  );
  const [lists, setLists] = useState<Record<Names, string>>({
    chatModels: plan?.chatModels.join(", ") ?? "",
    hiddenTools: plan?.hiddenTools.join(", ") ?? "",
  });
  const [forecast, setForecast] = useState<Forecast | null>(null);
  const values = (): Partial<Plan> => {
    const numbers = Object.fromEntries(
      FIELDS.map(([field]) => [field, ceilings[field] === "" ? null : Number(ceilings[field])]),
    );
    return {
      ...numbers,
      displayName,
      overBudget,
      priceMonthlyCents: Number(cents),
      allowPublicSharing: sharing,
      chatModels: split(lists.chatModels),
      hiddenTools: split(lists.hiddenTools),
      chatSessionsPeriod: ceilings.chatSessionsLimit === "" ? null : period,
    };
  };
  const save = async () => {
    const saved = await act(() => (plan ? admin.change(plan.name, values()) : admin.create({ ...values(), name })));
    if (saved) close();
  };
  return (
    <form
      class="plan-form"
      aria-label={plan ? `Change ${plan.name}` : "New plan"}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {!plan && (
        <label>
          Name
          <input
            value={name}
            required
            pattern="[a-z][a-z0-9_\-]*"
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
      )}
      <label>
        Shown as
        <input value={displayName} required onInput={(event) => setDisplayName(event.currentTarget.value)} />
      </label>
      {FIELDS.map(([field, words]) => (
        <label key={field}>
          {words}
          <input
            type="number"
            min={FROM_ONE.includes(field) ? 1 : 0}
            placeholder="unlimited"
            value={ceilings[field]}
            onInput={(event) => setCeilings({ ...ceilings, [field]: event.currentTarget.value })}
          />
        </label>
      ))}
      <label>
        Conversations count
        <select value={period} onChange={(event) => setPeriod(event.currentTarget.value as typeof period)}>
          <option value="monthly">by the month</option>
          <option value="lifetime">for a lifetime</option>
        </select>
      </label>
      <label>
        Once the month's budget is spent
        <select value={overBudget} onChange={(event) => setOverBudget(event.currentTarget.value as typeof overBudget)}>
          <option value="refuse">questions are refused</option>
          <option value="built_in">the built-in analyst answers</option>
        </select>
      </label>
      <label>
        Cents a month
        <input type="number" min={0} required value={cents} onInput={(event) => setCents(event.currentTarget.value)} />
      </label>
      {LISTS.map(([field, words, none]) => (
        <label key={field}>
          {words}
          <input
            placeholder={none}
            value={lists[field]}
            onInput={(event) => setLists({ ...lists, [field]: event.currentTarget.value })}
          />
        </label>
      ))}
      <label class="check">
        <input type="checkbox" checked={sharing} onChange={(event) => setSharing(event.currentTarget.checked)} />
        Traces may be shared by link
      </label>
      <div class="actions">
        {forecast && (
          <p role="status">
            {forecast.reachedThen} of {forecast.users} users would be at a limit; {forecast.reachedNow} are now.{" "}
            {forecast.fullThen} of their conversations would take no more messages; {forecast.fullNow} take none now.
          </p>
        )}
        {plan && (
          <button
            type="button"
            onClick={() => void act(async () => setForecast(await admin.foresee(plan.name, values())))}
          >
            Who would be over?
          </button>
        )}
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="submit">Save</button>
      </div>
    </form>
  );
}
