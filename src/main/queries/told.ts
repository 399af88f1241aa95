/** Calls what belongs to the app. An error that it throws is reported as uncaught, as with events. */
export function told(call: () => void): void {
  try {
    call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
