import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type BrowserContext, type CDPSession, type Page } from '@playwright/test'
import { installProbe } from './app-probes.ts'

/** How many times slower the processor of a phone is than that of this machine. Only the page is slowed down, not its workers, which run SQLite and sync. */
export const THROTTLING = 4

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const
const DESK = { viewport: { width: 1280, height: 800 } } as const

/** A browser with one tab that records its own timings. */
export interface Device extends AsyncDisposable {
  readonly page: Page
  readonly devtools: CDPSession
}

/** A phone that can be switched off and on again; its browser keeps the stored data. */
export interface Phone extends AsyncDisposable {
  /** @param throttling - how many times slower than this machine; default: {@link THROTTLING} */
  open(throttling?: number): Promise<Device>
}

/** Creates a phone-sized browser with its own profile. */
export async function createPhone(): Promise<Phone> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-phone-'))
  return {
    open: (throttling = THROTTLING) => launch(folder, PHONE, throttling),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 10 }),
  }
}

/** Slows down the page of a device from now on. @param throttling - how many times slower than this machine; 1: not slowed */
export async function slow({ devtools }: Device, throttling: number): Promise<void> {
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: throttling })
}

/** Opens a browser at full speed without service workers, so that everything is loaded over the network. */
export async function openDesk(): Promise<Device> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-desk-'))
  const device = await launch(folder, { ...DESK, serviceWorkers: 'block' as const }, 1)
  return {
    ...device,
    async [Symbol.asyncDispose]() {
      await device[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

async function launch(
  folder: string,
  options: NonNullable<Parameters<typeof chromium.launchPersistentContext>[1]>,
  throttling: number,
): Promise<Device> {
  const context: BrowserContext = await chromium.launchPersistentContext(folder, {
    executablePath: await findChromium(),
    args: ARGUMENTS,
    locale: 'en-GB',
    timezoneId: 'Europe/London',
    ...options,
  })
  try {
    const page = context.pages()[0] ?? (await context.newPage())
    page.setDefaultTimeout(TIMEOUT_MS)
    await installProbe(page)
    const devtools = await context.newCDPSession(page)
    const device = { page, devtools, [Symbol.asyncDispose]: () => context.close() }
    await slow(device, throttling)
    return device
  } catch (error) {
    await context.close()
    throw error
  }
}

/** Timeout of every wait; long enough for a busy machine. */
const TIMEOUT_MS = 60_000

/** Finds the browser that the browser tests use. */
async function findChromium(): Promise<string> {
  const script = new URL('../../scripts/chromium.ts', import.meta.url)
  const { ensureChromium } = (await import(script.href)) as { readonly ensureChromium: () => Promise<string> }
  return ensureChromium()
}
