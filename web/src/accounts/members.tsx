/** One's accounts of several people: made, joined, left; who is in the chosen one, and who is invited. */
import "../style/members.css";
import { useCallback, useEffect, useState } from "preact/hooks";
import { usePart } from "../store.ts";
import { acting, actFor } from "./acting.ts";
import { Administer } from "./administer.tsx";
import { accounts, current, invitationOf, loadAccounts, ROLE_WORDS, teams } from "./teams.ts";
import type { MemberList, Role, TeamAccount } from "./teams.ts";

type Act = (work: () => Promise<unknown>) => Promise<boolean>;

export function Members() {
  const known = usePart(accounts, (value) => value);
  const account = current(
    known,
    usePart(acting, (value) => value),
  );
  const [found, setFound] = useState<MemberList | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [link, setLink] = useState<string | null>(null);
  const [invited, setInvited] = useState(() => invitationOf(location.hash));
  const id = account && !account.isPersonal ? account.accountId : null;
  const act: Act = useCallback(
    async (work) => {
      try {
        setProblem(null);
        await work();
        await loadAccounts();
        const isThere = accounts.read().some((one) => one.accountId === id);
        setFound(id && isThere ? await teams.members(id) : null);
        return true;
      } catch (error) {
        setProblem(error instanceof Error ? error.message : String(error));
        return false;
      }
    },
    [id],
  );
  useEffect(() => {
    void act(async () => {});
  }, [act]);
  const enter = (accountId: string | null) => {
    actFor(accountId);
    location.assign("/account");
  };
  const join = (token: string) =>
    act(async () => {
      const joined = await teams.accept(token);
      setInvited(null);
      history.replaceState(null, "", location.pathname);
      enter(joined.accountId);
    });
  return (
    <section class="members" aria-labelledby="members">
      <h2 id="members">{id ? `Members of ${account!.name}` : "Accounts of several people"}</h2>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {invited && (
        <p class="invited" role="status">
          You are invited to share an account.{" "}
          <button type="button" class="primary" onClick={() => void join(invited)}>
            Join
          </button>
        </p>
      )}
      {!id && (
        <p class="lead">
          Traces and what is remembered belong to an account; conversations are yours until you show them to it.
        </p>
      )}
      {id && found && <List account={account!} found={found} act={act} left={() => enter(null)} />}
      {id && account!.role === "owner" && (
        <Invite
          invite={(email, role) => act(async () => setLink(await teams.invite(id, email, role)))}
          link={link}
          close={() => setLink(null)}
        />
      )}
      {id && account!.role === "owner" && (
        <Administer
          key={id}
          account={account!}
          change={(changes) => act(() => teams.administer(id, changes))}
          close={(withTraces) =>
            act(async () => {
              await teams.close(id, withTraces);
              enter(null);
            })
          }
        />
      )}
      <Create make={(name) => act(async () => enter((await teams.create(name)).accountId))} />
    </section>
  );
}

interface ListProps {
  account: TeamAccount;
  found: MemberList;
  act: Act;
  /** Oneself has left. */
  left: () => void;
}

function List({ account, found, act, left }: ListProps) {
  const { accountId, role } = account;
  const isOwner = role === "owner";
  return (
    <ul class="member-list" aria-label="Members">
      {found.members.map((one) => (
        <li key={one.userId}>
          <p>
            <bdi>{one.name ?? one.userId}</bdi>
            {one.isMe && " (you)"}
          </p>
          {isOwner ? (
            <RoleChoice
              label={`Role of ${one.name ?? one.userId}`}
              value={one.role}
              choose={(next) => void act(() => teams.change(accountId, one.userId, next))}
            />
          ) : (
            <small>{one.role}</small>
          )}
          {(isOwner || one.isMe) && (
            <button
              type="button"
              aria-label={one.isMe ? "Leave this account" : `Take out ${one.name ?? one.userId}`}
              onClick={async () => {
                if ((await act(() => teams.removeMember(accountId, one.userId))) && one.isMe) left();
              }}
            >
              {one.isMe ? "Leave" : "Take out"}
            </button>
          )}
        </li>
      ))}
      {found.invitations.map((one) => (
        <li key={one.invitationId}>
          <p>
            <bdi>{one.email}</bdi>
            <small>
              invited as {one.role}, until {new Date(one.expiresAt).toLocaleDateString()}
            </small>
          </p>
          <button
            type="button"
            aria-label={`Take back the invitation of ${one.email}`}
            onClick={() => void act(() => teams.revoke(accountId, one.invitationId))}
          >
            Take back
          </button>
        </li>
      ))}
    </ul>
  );
}

function RoleChoice({ label, value, choose }: { label: string; value: Role; choose: (role: Role) => void }) {
  return (
    <select aria-label={label} value={value} onChange={(event) => choose(event.currentTarget.value as Role)}>
      {(Object.keys(ROLE_WORDS) as Role[]).map((role) => (
        <option key={role} value={role}>
          {ROLE_WORDS[role]}
        </option>
      ))}
    </select>
  );
}

interface InviteProps {
  invite: (email: string, role: Role) => Promise<boolean>;
  link: string | null;
  close: () => void;
}

function Invite({ invite, link, close }: InviteProps) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("member");
  return (
    <>
      <form
        aria-label="Invite"
        onSubmit={async (event) => {
          event.preventDefault();
          if (await invite(email, role)) setEmail("");
        }}
      >
        <label>
          E-mail address
          <input type="email" required value={email} onInput={(event) => setEmail(event.currentTarget.value)} />
        </label>
        <RoleChoice label="Role of whoever is invited" value={role} choose={setRole} />
        <button type="submit">Invite</button>
      </form>
      {link && (
        <p class="invited" role="status">
          <label>
            Give them this link. It is shown this once, good once and for seven days.
            <input readOnly value={link} onFocus={(event) => event.currentTarget.select()} />
          </label>
          <button type="button" onClick={() => void navigator.clipboard.writeText(link)}>
            Copy
          </button>
          <button type="button" onClick={close}>
            I have it
          </button>
        </p>
      )}
    </>
  );
}

function Create({ make }: { make: (name: string) => Promise<boolean> }) {
  const [name, setName] = useState("");
  return (
    <form
      aria-label="New account"
      onSubmit={async (event) => {
        event.preventDefault();
        if (await make(name)) setName("");
      }}
    >
      <label>
        Name of a new account
        <input required maxLength={100} value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <button type="submit">Make an account</button>
    </form>
  );
}
