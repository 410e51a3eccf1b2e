/** Parts of the viewer that few need at first: a chunk that is loaded when the first of them is. */
export { BoxMenu } from "./box_menu.tsx";
export { DiffBar } from "./diff_bar.tsx";
export { Elsewhere } from "../tables/elsewhere.tsx";
export { FlowArrows } from "./flow_arrows.tsx";
export { FunctionList } from "./function_list.tsx";
export { PaneHead } from "./pane_head.tsx";
export { RangeBar } from "./range_bar.tsx";
export { SelectionFigures } from "./selection_figures.tsx";
export { ThreadPanes } from "./thread_panes.tsx";
export { NothingLeft, TransformBar } from "./transform_bar.tsx";
