import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { LiveContext } from "./live/hooks.ts";
import { startLive } from "./live/live.ts";
import { ErrorBoundary } from "./parts/error-boundary.tsx";
import "./style.css";

const root = document.querySelector("#root");
if (root === null) throw new Error("index.html has no #root element.");

// Caught errors are shown on the page: logging them again adds nothing.
createRoot(root, { onCaughtError: () => undefined }).render(
  <LiveContext value={startLive()}>
    <ErrorBoundary what="The dashboard">
      <App />
    </ErrorBoundary>
  </LiveContext>,
);
