import { render } from "preact";
import { App } from "./app.tsx";
import { startRouting } from "./route.ts";
import "./style/tokens.css";
import "./style/page.css";
import "./style/viewer.css";
import "./style/chat.css";
import "./style/insights.css";
import "./style/admin.css";
import { startTheme } from "./theme.ts";

startTheme();
startRouting();
render(<App />, document.getElementById("app")!);
