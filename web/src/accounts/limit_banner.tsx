/** Why a question was refused, and the way on. */
import { Icon } from "../icons.tsx";
import type { ChatError } from "../protocol.ts";
import { day, price, widerPlans, type MyUsage } from "./usage.ts";

export function LimitBanner({ refusal, mine }: { refusal: ChatError; mine: MyUsage | null }) {
  const isLimit = refusal.errorCode === "limit_exceeded";
  const wider = isLimit && mine ? widerPlans(refusal, mine) : [];
  return (
    <div class="banner limit" role="alert">
      <Icon name="warning" />
      <span>
        {refusal.message}
        {isLimit && refusal.used !== null && refusal.limit !== null && (
          <>
            {" "}
            {amount(refusal, refusal.used)} of {amount(refusal, refusal.limit)} used
            {refusal.planName ? ` on the ${refusal.planName} plan` : ""}.
          </>
        )}
        {refusal.resetsAt && <> It starts again on {day(refusal.resetsAt)}.</>}
        {isLimit && mine?.isAdministrator && (
          <>
            {" "}
            <a href="/admin">Change the plan or grant more</a>; you can go on here at once.
          </>
        )}
        {isLimit && !mine?.isAdministrator && (
          <>
            {" "}
            {wider.length > 0
              ? `More room: ${wider.map((plan) => `${plan.displayName} (${price(plan)})`).join(", ")}. `
              : ""}
            Whoever runs this server can change your plan.
          </>
        )}
      </span>
    </div>
  );
}

/** Of what is limited; costs are in cents. */
function amount(refusal: ChatError, counted: number): string {
  return refusal.limitType === "monthly_cost" ? `${(counted / 100).toFixed(2)} USD` : counted.toString();
}
