import { openHoldfast } from '@holdfast/test-support'
import { processorFigures, readProcessorTime, type ProcessorTime } from './processor-time.ts'
import { median, type Figure } from './report.ts'
import { sized } from './size.ts'

const ROUNDS = sized(3)

interface Start {
  readonly coldMs: number
  readonly warmMs: number
  readonly stopMs: number
  readonly warm: ProcessorTime | undefined
}

async function startOnce(sample: boolean): Promise<Start> {
  const began = performance.now()
  // Tests start with a copy of an initialised data directory; here a new one is created, which is what the copy saves them.
  await using holdfast = await openHoldfast({ sample, prepareDataDir: () => Promise.resolve() })
  const coldMs = performance.now() - began
  await holdfast.stop()
  const again = performance.now()
  await holdfast.restart()
  const warmMs = performance.now() - again
  const warm = await readProcessorTime(holdfast.pid())
  const stopping = performance.now()
  await holdfast.stop()
  return { coldMs, warmMs, stopMs: performance.now() - stopping, warm }
}

/** Time from starting the process to its ready line – with `initdb`, with the sample, and with an existing data directory – and from the signal to its end. */
export async function benchStart(): Promise<Figure[]> {
  const bare: Start[] = []
  for (let round = 0; round < ROUNDS; round++) bare.push(await startOnce(false))
  const sample = await startOnce(true)
  return [
    { name: 'start, cold, without sample', value: median(bare.map(({ coldMs }) => coldMs)), unit: 'ms' },
    { name: 'start, warm', value: median(bare.map(({ warmMs }) => warmMs)), unit: 'ms' },
    ...processorFigures(
      'start, warm',
      'start',
      1,
      bare.map(({ warm }) => warm),
    ),
    { name: 'stop, idle', value: median(bare.map(({ stopMs }) => stopMs)), unit: 'ms' },
    { name: 'start, cold, with sample', value: sample.coldMs, unit: 'ms' },
    { name: 'start, warm, with sample', value: sample.warmMs, unit: 'ms' },
    ...processorFigures('start, warm, with sample', 'start', 1, [sample.warm]),
  ]
}
