import { render } from "preact";
import { startConfig } from "./accounts/client_config.ts";
import { startSession } from "./accounts/session.ts";
import { startToken } from "./accounts/token.ts";
import { App } from "./app.tsx";
import { startRouting } from "./route.ts";
import "./style/tokens.css";
import "./style/page.css";
import "./style/viewer.css";
import "./style/tables.css";
import "./style/chat.css";
import "./style/insights.css";
import { startTheme } from "./theme.ts";

const brought = startToken(); // before anything reads the address
startTheme();
startRouting();
void startConfig().then(() => {
  startSession(brought?.refreshToken ?? null);
  render(<App />, document.getElementById("app")!);
});
