/** Line icons, drawn on a 16 by 16 grid. */

const PATHS = {
  archive: "M2.5 3h11v3h-11zM3.5 6v7h9V6M6.5 8.5h3",
  back: "M10 3 5 8l5 5",
  chat: "M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2z",
  check: "m3 8.5 3.2 3L13 4.5",
  close: "m4 4 8 8m0-8-8 8",
  commands: "M3 4.5l3.5 3.5L3 11.5M8 12h5",
  copy: "M5.5 5.5h7v7h-7zM3.5 10.5v-7h7",
  down: "m4 6 4 4 4-4",
  download: "M8 3v7.5m-3-3 3 3 3-3m-8 3.5v2h10v-2",
  edit: "m3 13 .6-2.6L10.8 3.2l2 2-7.2 7.2z",
  fit: "M3 6V3h3m4 0h3v3m0 4v3h-3m-4 0H3v-3",
  menu: "M3 4.5h10M3 8h10M3 11.5h10",
  minus: "M3.5 8h9",
  missed: "M2.5 8.5H5v-6H2.5zM5 8.5l3 5a1.5 1.5 0 0 0 1.5-1.8L9 9.5h4.2l-1-7H5",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z",
  next: "m6 3 5 5-5 5",
  people:
    "M6 7.5a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4zM2 13c0-2.4 1.8-3.8 4-3.8s4 1.4 4 3.8M10.5 7.3a2 2 0 1 0 0-3.9M11.5 9.4c1.5.4 2.5 1.6 2.5 3.6",
  picture: "M2.5 3.5h11v9h-11zm0 7 3-3 3 3 2-2 3 3",
  pin: "M6 2.5h4l-.6 4 2.1 2v1h-7v-1l2.1-2zM8 9.5v4",
  plus: "M8 3.5v9m-4.5-4.5h9",
  again: "M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3",
  helped: "M2.5 7.5H5v6H2.5zM5 7.5l3-5a1.5 1.5 0 0 1 1.5 1.8L9 6.5h4.2l-1 7H5",
  review:
    "M4.5 6v6M4.5 5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zm0 9a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zm7 0a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zm0-3V6L9 3.5m0 0h3M9 3.5v3",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zm3.3-1.2 3.2 3.2",
  send: "M8 13V3.5M4 7l4-4 4 4",
  share:
    "M5.8 7.2 10 4.8M5.8 8.8 10 11.2M4 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zm8-4.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zm0 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  stop: "M4.5 4.5h7v7h-7z",
  sun: "M8 10.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM8 1.5v1.5m0 10v1.5M1.5 8h1.5m10 0h1.5M3.4 3.4l1.1 1.1m7 7 1.1 1.1m0-9.2-1.1 1.1m-7 7-1.1 1.1",
  tool: "m9.5 6.5-6 6m6.2-9.3a3 3 0 1 0 3.1 3.1L11 8 8 5z",
  trash: "M3 4.5h10m-6.5-2h3m-5 2 .5 8.5h6l.5-8.5",
  unarchive: "M2.5 3h11v3h-11zM3.5 6v7h9V6M8 11.5V8m-1.5 1.5L8 8l1.5 1.5",
  up: "m4 10 4-4 4 4",
  upload: "M8 10.5V3m-3 3 3-3 3 3m-8 5v2h10v-2",
  warning: "M8 2.5 14 13H2zM8 6.5v3m0 1.8v.2",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
