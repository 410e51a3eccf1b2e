/** The tables by name: a chunk that is loaded when the first of them is opened. */
import type { ComponentType } from "preact";
import "../style/table_panel.css";
import type { ViewerStore } from "../viewer/viewer_store.ts";
import { CallersTree, CallTree } from "./call_tree.tsx";
import { FunctionTable } from "./function_table.tsx";
import { NoteList } from "./note_list.tsx";
import type { PanelName } from "./panels.ts";
import { ThreadSearch } from "./thread_search.tsx";

export const TABLES: Record<PanelName, ComponentType<{ store: ViewerStore }>> = {
  functions: FunctionTable,
  tree: CallTree,
  callers: CallersTree,
  search: ThreadSearch,
  notes: NoteList,
};
