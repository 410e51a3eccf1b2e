/** What is used of the plan, below the conversation; nothing where everything is unlimited. */
import { day, METER_WORDS, type Meter, type MyUsage } from "./usage.ts";

export function UsageMeter({ mine }: { mine: MyUsage | null }) {
  if (!mine) return null;
  const all = [...(mine.messages ? [mine.messages] : []), ...mine.usage.meters];
  const bounded = all.filter((meter) => meter.limit !== null);
  if (bounded.length === 0) return null;
  const nearest = bounded.reduce((a, b) => (share(b) > share(a) ? b : a));
  return (
    <details class="usage">
      <summary>
        <span>
          {nearest.used} of {nearest.limit} {METER_WORDS[nearest.limitType]} · {mine.usage.plan.displayName} plan
        </span>
        <Bar meter={nearest} />
      </summary>
      <dl>
        {bounded.map((meter) => (
          <div key={meter.limitType}>
            <dt>{METER_WORDS[meter.limitType]}</dt>
            <dd>
              {meter.used} of {meter.limit}
              {meter.resetsAt && <small>, renews {day(meter.resetsAt)}</small>}
              <Bar meter={meter} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

export function Bar({ meter }: { meter: Meter }) {
  return (
    <progress
      class="used"
      data-full={meter.left === 0 || undefined}
      max={Math.max(meter.limit ?? 1, 1)}
      value={Math.min(meter.used, meter.limit ?? 1)}
      aria-label={`${METER_WORDS[meter.limitType]}: ${meter.used} of ${meter.limit ?? "unlimited"}`}
    />
  );
}

function share(meter: Meter): number {
  return meter.limit === null ? 0 : meter.limit === 0 ? 1 : meter.used / meter.limit;
}
