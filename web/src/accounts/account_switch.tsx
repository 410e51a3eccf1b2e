/** For which of one's accounts the page acts. */
import { useEffect } from "preact/hooks";
import { usePart } from "../store.ts";
import { acting, actFor } from "./acting.ts";
import { accounts, current, loadAccounts } from "./teams.ts";

export function AccountSwitch() {
  const known = usePart(accounts, (value) => value);
  const chosen = usePart(acting, (value) => value);
  useEffect(() => {
    loadAccounts().catch(() => undefined); // what else the page asks for says why
  }, []);
  if (known.length < 2) return null;
  return (
    <select
      class="account-switch"
      aria-label="Account"
      value={current(known, chosen)?.accountId}
      onChange={(event) => {
        const one = known.find((account) => account.accountId === event.currentTarget.value);
        actFor(!one || one.isPersonal ? null : one.accountId);
        location.assign("/"); // every list is another one now
      }}
    >
      {known.map((one) => (
        <option key={one.accountId} value={one.accountId}>
          {one.name}
        </option>
      ))}
    </select>
  );
}
