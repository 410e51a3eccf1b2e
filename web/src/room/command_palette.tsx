/** Ctrl K: actions, threads, functions, questions and conversations by typing a part of their name. */
import "../style/command_palette.css";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Icon } from "../icons.tsx";
import { matching, type Command } from "./commands.ts";
import { commandsWithText, roomCommands, type RoomParts } from "./room_commands.ts";

const LIST = "command-list";

/** Loaded when it is opened for the first time, and open then. */
export function CommandPalette({ parts }: { parts: RoomParts }) {
  const offered = (add: (more: Command[]) => void) => roomCommands(parts, add);
  const withText = useCallback((text: string) => commandsWithText(parts, text), [parts]);
  const report = (problem: string) => parts.viewer.report(problem);
  const dialog = useRef<HTMLDialogElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [commands, setCommands] = useState<Command[]>([]);
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const open = () => {
    let isEarly = true;
    const late: Command[] = [];
    const first = offered((more) => (isEarly ? late.push(...more) : setCommands((known) => [...known, ...more])));
    isEarly = false;
    setCommands([...first, ...late]);
    setTyped("");
    setAt(0);
    dialog.current?.showModal();
    input.current?.focus();
  };
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey)
        return;
      event.preventDefault();
      if (dialog.current?.open) dialog.current.close();
      else if (!document.querySelector("dialog[open]")) latest.current();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  useEffect(() => latest.current(), []);
  const text = typed.trim();
  const shown = useMemo(
    () => [...matching(commands, typed), ...(text ? withText(text) : [])],
    [commands, typed, withText],
  );
  const chosen = shown[Math.min(at, shown.length - 1)];
  const run = (command: Command | undefined) => {
    if (!command) return;
    dialog.current?.close();
    Promise.resolve()
      .then(() => command.run())
      .catch((error: Error) => report(error.message));
  };
  const key = (event: KeyboardEvent) => {
    const last = shown.length - 1;
    const from = Math.min(at, last);
    const next = { ArrowDown: from < last ? from + 1 : 0, ArrowUp: from > 0 ? from - 1 : last }[event.key];
    if (event.key === "Enter") run(chosen);
    else if (next === undefined) return;
    else setAt(next);
    event.preventDefault();
  };
  useEffect(() => {
    dialog.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [chosen?.key]);
  return (
    <>
      <button
        type="button"
        class="icon-button"
        aria-label="Commands"
        title="Commands, threads, functions and questions (Ctrl K)"
        onClick={open}
      >
        <Icon name="commands" />
      </button>
      <dialog
        ref={dialog}
        class="command-palette"
        aria-label="Commands"
        onClick={(event) => event.target === dialog.current && dialog.current?.close()}
        onKeyDown={(event) => event.stopPropagation()}
      >
        <input
          ref={input}
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls={LIST}
          aria-activedescendant={chosen && idOf(chosen)}
          aria-label="Type a command, a thread, a function or a question"
          placeholder="Type a command, a thread, a function or a question"
          spellcheck={false}
          maxLength={500}
          value={typed}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={key}
        />
        <ul id={LIST} role="listbox" aria-label="Commands">
          {shown.map((command, index) => (
            <li
              key={command.key}
              id={idOf(command)}
              role="option"
              aria-selected={command === chosen}
              onPointerMove={() => at !== index && setAt(index)}
              onClick={() => run(command)}
            >
              <bdi>{command.name}</bdi>
              {command.hint && <small dir="auto">{command.hint}</small>}
              <em>{command.group}</em>
            </li>
          ))}
        </ul>
        {shown.length === 0 && <p role="status">Nothing has this text.</p>}
      </dialog>
    </>
  );
}

function idOf(command: Command): string {
  return `command-${command.key}`;
}
