/** 800 -> "0.8 s", 42000 -> "42 s", 180000 -> "3 min". */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1_000;
  if (seconds < 1) return `${Math.round(seconds * 10) / 10} s`;
  if (seconds < 100) return `${Math.round(seconds)} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 129_600) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

/** What is counted down: 3240 -> "3.2 s", and from a minute on as `duration` says it. */
export function countdown(milliseconds: number): string {
  const tenths = Math.max(0, Math.ceil(milliseconds / 100));
  return tenths < 600 ? `${(tenths / 10).toFixed(1)} s` : duration(milliseconds);
}

export function bytes(count: number): string {
  if (count < 1_000) return `${count} B`;
  if (count < 1_000_000) return `${Math.round(count / 1_000)} kB`;
  return `${Math.round(count / 100_000) / 10} MB`;
}

const CLOCK = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

export function clock(instant: number | string): string {
  return CLOCK.format(new Date(instant));
}

/** The time of what was today, the date of what was before. */
export function moment(instant: number | string): string {
  const then = new Date(instant);
  return then.toDateString() === new Date().toDateString() ? CLOCK.format(then) : DATE.format(then);
}

export function day(instant: number | string): string {
  return DAY.format(new Date(instant));
}

/** "1 photo", "2 photos". */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
