import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { LiveContext } from "./live/hooks.ts";
import { startLive } from "./live/live.ts";
import "./style.css";

const root = document.querySelector("#root");
if (root === null) throw new Error("The page has no place to draw in.");

createRoot(root).render(
  <LiveContext value={startLive()}>
    <App />
  </LiveContext>,
);
