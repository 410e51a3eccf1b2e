/** What can be done with a box: opened by a right click, a long press, or the menu key. */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { aboutBox, aboutFunction, selectedBox } from "./questions.ts";
import { INVERT, ofBox, onlyWith, SWITCHES, withOne } from "./transforms.ts";
import type { ViewerStore } from "./viewer_store.ts";

interface BoxMenuProps {
  store: ViewerStore;
  place: { x: number; y: number };
  ask: ((question: string) => void) | null;
  close: () => void;
}

export function BoxMenu({ store, place, ask, close }: BoxMenuProps) {
  const root = useRef<HTMLDivElement>(null);
  const box = selectedBox(store);
  useLayoutEffect(() => {
    const menu = root.current;
    const room = menu?.parentElement;
    if (!menu || !room) return;
    menu.style.left = `${Math.max(4, Math.min(place.x, room.clientWidth - menu.offsetWidth - 4))}px`;
    menu.style.top = `${Math.max(4, Math.min(place.y, room.clientHeight - menu.offsetHeight - 4))}px`;
    menu.querySelector<HTMLElement>("button")?.focus();
  }, [place]);
  useEffect(() => {
    const leave = (event: Event) => root.current?.contains(event.target as Node) || close();
    addEventListener("pointerdown", leave);
    addEventListener("wheel", leave, { passive: true });
    return () => {
      removeEventListener("pointerdown", leave);
      removeEventListener("wheel", leave);
    };
  }, []);
  if (!box) return null;
  const call = box.box.startsWith("s") ? "call" : "path";
  const { transforms: done, mode, search } = store.read();
  const add = (text: string) => () => void store.show({ transforms: withOne(done, text) });
  const transforms: [string, () => void][] =
    mode === "diff"
      ? []
      : [
          ...ofBox(box.frame, box.box, done.includes(INVERT)).map(
            ({ words, text }) => [words, add(text)] as [string, () => void],
          ),
          ...(search.words
            ? [[`Only samples with “${search.words}”`, add(onlyWith(search.words))] as [string, () => void]]
            : []),
          ...SWITCHES.filter(({ text }) => text !== "collapse-recursion" && !done.includes(text)).map(
            ({ words, text }) => [words, add(text)] as [string, () => void],
          ),
        ];
  const commands: [string, () => void][] = [
    ...(ask && box.box !== box.frame
      ? [[`Ask about this ${call}`, () => ask(aboutBox(box.name, box.box, box.value))] as [string, () => void]]
      : []),
    ...(ask
      ? [["Ask about this function", () => ask(aboutFunction(box.name, box.frame))] as [string, () => void]]
      : []),
    ...transforms,
    ["Zoom to it", () => store.zoomToSelection()],
    ["Callers and callees", () => void store.show({ mode: "sandwich", sandwichOf: box.frame })],
    ["Find all of its boxes", () => store.search(box.name)],
    ["Copy its name", () => void navigator.clipboard?.writeText(box.name)],
  ];
  const key = (event: KeyboardEvent) => {
    event.stopPropagation();
    // A key that was on its way when the menu closed finds no menu.
    if (!root.current) return;
    const items = [...root.current.querySelectorAll<HTMLElement>("button")];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (next !== undefined) items.at(next % items.length)?.focus();
    else if (event.key === "Escape" || event.key === "Tab") leaveTo(root.current, close);
    else return;
    event.preventDefault();
  };
  return (
    <div class="box-menu" role="menu" aria-label={box.name} ref={root} onKeyDown={key}>
      {commands.map(([words, act], at) => (
        <button
          key={words}
          type="button"
          role="menuitem"
          tabIndex={at === 0 ? 0 : -1}
          onClick={() => {
            if (root.current) leaveTo(root.current, close);
            act();
          }}
        >
          {words}
        </button>
      ))}
    </div>
  );
}

/** Close, with the focus back on the chart. */
function leaveTo(menu: HTMLElement, close: () => void): void {
  menu.closest<HTMLElement>(".chart")?.focus({ preventScroll: true });
  close();
}
