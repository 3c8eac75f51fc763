import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { LiveContext } from "./live/hooks.ts";
import { startLive } from "./live/live.ts";
import { Mishap } from "./parts/mishap.tsx";
import "./style.css";

const root = document.querySelector("#root");
if (root === null) throw new Error("index.html has no #root element.");

// Caught errors are shown on the page: logging them again adds nothing.
createRoot(root, { onCaughtError: () => undefined }).render(
  <LiveContext value={startLive()}>
    <Mishap what="The dashboard">
      <App />
    </Mishap>
  </LiveContext>,
);
