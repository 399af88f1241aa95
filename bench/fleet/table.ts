import type { Report } from './run.ts';

interface Column {
  readonly head: string;
  /** Numbers stand right. */
  readonly isNumber: boolean;
  readonly cell: (report: Report) => string;
}

const COLUMNS: readonly Column[] = [
  { head: 'scenario', isNumber: false, cell: ({ scenario }) => scenario },
  { head: 'rule', isNumber: false, cell: ({ rule }) => rule },
  { head: 'peak', isNumber: true, cell: ({ peak }) => times(peak) },
  { head: 'at (s)', isNumber: true, cell: ({ peakAt }) => String(Math.round(peakAt)) },
  { head: 'mean', isNumber: true, cell: ({ mean }) => (mean === null ? '' : times(mean)) },
  { head: 'asked (s)', isNumber: true, cell: ({ asked }) => seconds(asked) },
  { head: 'answered (s)', isNumber: true, cell: ({ answered }) => seconds(answered) },
  {
    head: 'fresh (periods)',
    isNumber: true,
    cell: ({ fresh }) => (fresh === null ? 'never' : fresh.toFixed(2)),
  },
  { head: 'longest line (s)', isNumber: true, cell: ({ longestWait }) => longestWait.toFixed(1) },
  { head: '503s', isNumber: true, cell: ({ refused }) => String(refused) },
  { head: 'over budget', isNumber: false, cell: ({ excesses }) => excesses.join(', ') },
];

/** A table as Markdown has it, which reads as well on a screen. */
export function tableOf(reports: readonly Report[]): string {
  const rows = reports.map((report) => COLUMNS.map(({ cell }) => cell(report)));
  const widths = COLUMNS.map(({ head }, index) =>
    Math.max(head.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string => {
    const padded = cells.map((cell, index) =>
      pad(cell, widths[index] ?? 0, COLUMNS[index]?.isNumber ?? false),
    );
    return `| ${padded.join(' | ')} |`;
  };
  const rule = COLUMNS.map(({ isNumber }, index) => {
    const dashes = '-'.repeat((widths[index] ?? 1) - 1);
    return isNumber ? `${dashes}:` : `${dashes}-`;
  });
  return [line(COLUMNS.map(({ head }) => head)), line(rule), ...rows.map(line)].join('\n');
}

function pad(text: string, width: number, isNumber: boolean): string {
  return isNumber ? text.padStart(width) : text.padEnd(width);
}

function seconds(value: number | null): string {
  return value === null ? '' : value.toFixed(2);
}

function times(value: number): string {
  return `${value.toFixed(2)}x`;
}
