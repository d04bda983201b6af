import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { numberOption, options } from './arguments.ts'
import { buildCheckout, type Built } from './checkouts.ts'
import { median } from './report.ts'

/** Number of pairs of runs, unless `--pairs` is given. */
const PAIRS = 5

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))

interface Measured {
  readonly name: string
  readonly value: number
  readonly unit: string
}

/** The values of one figure in all pairs. */
interface Pairs {
  readonly unit: string
  readonly a: number[]
  readonly b: number[]
}

/**
 * Runs the benchmarks of this checkout alternately on the servers of two commits, and prints the ratio of each pair of runs. Other load on the machine
 * affects both runs of a pair about equally, so ratios are reliable even where the figures are not.
 */
export async function compare([a, b, ...benchmarks]: readonly string[]): Promise<void> {
  if (a === undefined || b === undefined || benchmarks.length === 0)
    throw new Error('usage: npm run bench -- compare A B BENCHMARK… [--pairs=5] [--share=0.1]; "." is this checkout')
  const builtA = buildCheckout(a)
  const builtB = buildCheckout(b)
  const figures = new Map<string, Pairs>()
  const pairs = Math.round(numberOption('pairs', PAIRS))
  for (let pair = 0; pair < pairs; pair++) {
    const order = pair % 2 === 0 ? (['a', 'b'] as const) : (['b', 'a'] as const)
    for (const side of order) {
      console.error(`pair ${pair + 1} of ${pairs}: ${(side === 'a' ? builtA : builtB).name}`)
      for (const { name, value, unit } of await measure(side === 'a' ? builtA : builtB, benchmarks)) {
        const known = figures.get(name) ?? { unit, a: [], b: [] }
        known[side].push(value)
        figures.set(name, known)
      }
    }
  }
  print(figures, builtA, builtB)
}

/** @returns each figure once, without its comparisons */
async function measure({ serverMain }: Built, benchmarks: readonly string[]): Promise<readonly Measured[]> {
  const child = spawn(
    process.execPath,
    [MAIN, ...benchmarks, '--alone', ...options.filter((option) => !option.startsWith('--pairs='))],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, HOLDFAST_SERVER_MAIN: serverMain } },
  )
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const measured = new Map<string, Measured>()
  for await (const line of createInterface({ input: child.stdout })) {
    const figure = JSON.parse(line) as Measured
    measured.set(figure.name, figure)
  }
  if ((await ended) !== 0) throw new Error(`${serverMain} cannot be measured:\n${errors}`)
  return [...measured.values()]
}

const WIDTH = 72

function print(figures: ReadonlyMap<string, Pairs>, a: Built, b: Built): void {
  console.error(`\nA: ${a.name}\nB: ${b.name}\n`)
  console.error(`${''.padEnd(WIDTH)}${['A', 'B', 'B / A'].map((text) => text.padStart(11)).join('')}   min – max`)
  for (const [name, { unit, a: valuesA, b: valuesB }] of figures) {
    const ratios = valuesA.map((value, pair) => (valuesB[pair] ?? Number.NaN) / value)
    const [middle, min, max] = [median(ratios), Math.min(...ratios), Math.max(...ratios)]
    console.log(JSON.stringify({ name, unit, a: median(valuesA), b: median(valuesB), ratio: middle, min, max, ratios }))
    const cells = [median(valuesA), median(valuesB)].map((value) => String(Number(value.toPrecision(3))).padStart(11))
    const range = `${min.toFixed(2)} – ${max.toFixed(2)}`
    console.error(
      `${name.padEnd(WIDTH)}${cells.join('')}${middle.toFixed(2).padStart(11)}   ${range} ${unit} ${verdict(unit, min, max)}`,
    )
  }
}

/** Calls one better only if all pairs agree. */
function verdict(unit: string, min: number, max: number): string {
  if (!(min > 1 || max < 1)) return ''
  return min > 1 === unit.endsWith('/s') ? 'B is better' : 'A is better'
}
