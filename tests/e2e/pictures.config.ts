import { defineConfig } from '@playwright/test'
import journeys from './playwright.config.ts'

/** Pictures for the documentation. They are no tests: `npm run pictures` takes them. */
export default defineConfig(journeys, {
  testDir: './src/pictures',
  testMatch: '**/*.pictures.ts',
  workers: 1,
  // Waiting longer for a picture loses nothing.
  timeout: 900_000,
  retries: 0,
  reporter: 'list',
  outputDir: '../../test-results',
})
