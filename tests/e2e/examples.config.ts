import { defineConfig } from '@playwright/test'
import journeys from './playwright.config.ts'

/** Public example projects of others, from checkouts that `HOLDFAST_EXAMPLES` names: `npm run test:night -- --only=examples` runs them. */
export default defineConfig(journeys, {
  testDir: './src/examples',
  testMatch: '**/*.example.ts',
  workers: 1,
  // Most of it is the installation of an example.
  timeout: 1_200_000,
  retries: 0,
  use: { ...journeys.use, actionTimeout: 120_000 },
  reporter: 'list',
  outputDir: '../../test-results',
})
