import { expect } from '@playwright/test'
import { openHoldfast, type Holdfast, type HoldfastOptions } from '@holdfast/test-support'

/** Opens a server with the sample. A busy machine may be ready before its first copy of all tables is: a page that came then would be told to wait, in the console too. */
export async function openSample(options: Omit<HoldfastOptions, 'sample'> = {}): Promise<Holdfast> {
  const holdfast = await openHoldfast({ ...options, sample: true })
  await expect
    .poll(async () => ((await (await fetch(`${holdfast.url}/health`)).json()) as { sync: string }).sync, {
      timeout: 120_000,
    })
    .toBe('ready')
  return holdfast
}
