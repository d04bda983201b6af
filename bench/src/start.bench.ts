import { openHoldfast } from '@holdfast/test-support'
import { median, type Figure } from './report.ts'
import { sized } from './size.ts'

const ROUNDS = sized(3)

async function startOnce(
  sample: boolean,
): Promise<{ readonly coldMs: number; readonly warmMs: number; readonly stopMs: number }> {
  const began = performance.now()
  await using holdfast = await openHoldfast({ sample })
  const coldMs = performance.now() - began
  await holdfast.stop()
  const again = performance.now()
  await holdfast.restart()
  const warmMs = performance.now() - again
  const stopping = performance.now()
  await holdfast.stop()
  return { coldMs, warmMs, stopMs: performance.now() - stopping }
}

/** From starting the process to its ready line: with initdb, with the sample, and on a folder that exists; and from the signal to its end. */
export async function benchStart(): Promise<Figure[]> {
  const bare = []
  for (let round = 0; round < ROUNDS; round++) bare.push(await startOnce(false))
  const sample = await startOnce(true)
  return [
    { name: 'start, cold, without sample', value: median(bare.map(({ coldMs }) => coldMs)), unit: 'ms' },
    { name: 'start, warm', value: median(bare.map(({ warmMs }) => warmMs)), unit: 'ms' },
    { name: 'stop, idle', value: median(bare.map(({ stopMs }) => stopMs)), unit: 'ms' },
    { name: 'start, cold, with sample', value: sample.coldMs, unit: 'ms' },
    { name: 'start, warm, with sample', value: sample.warmMs, unit: 'ms' },
  ]
}
