/** The part of the full size at which everything runs: `--share=0.01` shows that a benchmark runs, and not how fast. */
const share = Number(process.argv.find((argument) => argument.startsWith('--share='))?.slice('--share='.length) ?? 1)
if (!(share > 0)) throw new Error('--share is a number above 0')

/** A count, or a duration, at the size of this run: at least one. */
export function sized(full: number): number {
  return Math.max(1, Math.round(full * share))
}
