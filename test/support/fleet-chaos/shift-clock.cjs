// For `node --require`: moves the clock of a process by SAGA_TEST_CLOCK_MS, as if a person had set it wrong.
const byMs = Number(process.env["SAGA_TEST_CLOCK_MS"] ?? 0);
const RealDate = Date;
const realNow = RealDate.now;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    /** @type {Date} */ (
      Reflect.construct(target, args.length === 0 ? [realNow() + byMs] : args, newTarget)
    ),
  get: (target, name) =>
    name === "now" ? () => realNow() + byMs : /** @type {unknown} */ (Reflect.get(target, name)),
});
