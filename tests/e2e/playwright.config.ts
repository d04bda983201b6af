import { availableParallelism } from 'node:os'
import { defineConfig } from '@playwright/test'
import { CAMERA_FILE } from './src/support/camera-file.ts'

/**
 * Features of the browser around the page that no journey is about: pages for its address bar, which took a tenth of a journey's processor time. Of two such switches
 * the last one counts, so those that the test tool leaves out stand here as well.
 */
const UNUSED = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'PreloadTopChromeWebUI',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'SpareRendererForSitePerProcess',
  'ThirdPartyStoragePartitioning',
]

/** Journeys in the distribution's Chromium; no browser of the test tool's own is downloaded. */
export default defineConfig({
  testDir: './src',
  testMatch: '**/*.spec.ts',
  timeout: 300_000,
  expect: { timeout: 45_000 },
  fullyParallel: false,
  // A journey's browsers, server and Postgres keep two cores busy. Two journeys at once on two cores took longer than one after the other.
  workers: Math.max(1, Math.floor(availableParallelism() / 2)),
  // On a busy machine a page may miss a time-out; what needed the second try is named, and counted in the last line.
  retries: 1,
  reporter: [
    ['list'],
    ['json', { outputFile: process.env['PLAYWRIGHT_JSON_OUTPUT_NAME'] ?? 'test-results/playwright.json' }],
  ],
  outputDir: '../../test-results',
  use: {
    // An action that waits for what never comes says so, instead of using up the time of its journey.
    actionTimeout: 90_000,
    screenshot: 'only-on-failure',
    // Recording takes a quarter of the processor's time; `--trace=retain-on-failure` records a first try as well.
    trace: 'on-first-retry',
    launchOptions: {
      executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        // A process less, and SQLite compiled once instead of twice: each saved a tenth of a journey's time.
        '--in-process-gpu',
        '--js-flags=--liftoff-only',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        `--disable-features=${UNUSED.join()}`,
        '--use-fake-device-for-media-stream',
        `--use-file-for-fake-video-capture=${CAMERA_FILE}`,
      ],
    },
  },
})
