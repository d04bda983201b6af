import type { JSX } from 'react'
import { Page } from '@holdfast/workspace'
import { Options } from './options.tsx'

/** The options of the server. */
export function SettingsScreen(): JSX.Element {
  return (
    <Page title="Settings">
      <Options />
    </Page>
  )
}
