import type { ErrorComponentProps } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Button, Notice, Page } from '@holdfast/workspace'

/** Shown in place of a screen that could not be loaded or drawn. */
export function ScreenFailed({ error, reset }: ErrorComponentProps): JSX.Element {
  return (
    <Page title="This page failed">
      <Notice
        tone="danger"
        role="alert"
        title="The page could not be shown"
        actions={
          <>
            <Button onPress={reset}>Try again</Button>
            <Button onPress={() => location.reload()}>Reload</Button>
          </>
        }
      >
        {error instanceof Error ? error.message : String(error)}
      </Notice>
    </Page>
  )
}
