import { openHoldfast } from '@holdfast/test-support'
import { median, type Figure } from './report.ts'

async function startOnce(sample: boolean): Promise<{ readonly coldMs: number; readonly warmMs: number }> {
  const began = performance.now()
  await using holdfast = await openHoldfast({ sample })
  const coldMs = performance.now() - began
  await holdfast.stop()
  const again = performance.now()
  await holdfast.restart()
  return { coldMs, warmMs: performance.now() - again }
}

/** From starting the process to its ready line: with initdb, with the sample, and on a folder that exists. */
export async function benchStart(): Promise<Figure[]> {
  const bare = [await startOnce(false), await startOnce(false), await startOnce(false)]
  const sample = await startOnce(true)
  return [
    { name: 'start, cold, without sample', value: median(bare.map(({ coldMs }) => coldMs)), unit: 'ms' },
    { name: 'start, warm', value: median(bare.map(({ warmMs }) => warmMs)), unit: 'ms' },
    { name: 'start, cold, with sample', value: sample.coldMs, unit: 'ms' },
    { name: 'start, warm, with sample', value: sample.warmMs, unit: 'ms' },
  ]
}
