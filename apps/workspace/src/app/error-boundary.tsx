import type { ErrorComponentProps } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Disclosure } from '../components/disclosure.tsx'
import { ReloadButton } from '../components/reload-button.tsx'
import { Notice } from '../components/notice.tsx'
import { commonMessages } from '../messages/common.ts'
import { errorMessages } from '../messages/errors.ts'

/** Replaces a screen that threw: HF-APP-CRASH, with a way to continue and details to copy. */
export function CrashScreen({ error }: ErrorComponentProps): JSX.Element {
  const [copied, setCopied] = useState<'copied' | 'denied'>()
  const isMissing = isMissingPart(error)
  const title = isMissing ? errorMessages.missingTitle : errorMessages.crashTitle
  const report = `HF-APP-CRASH ${location.pathname}\n${describe(error)}`
  return (
    <div className="mx-auto max-w-2xl px-4 py-16">
      <h1 tabIndex={-1} className="sr-only">
        {title}
      </h1>
      <Notice
        tone="danger"
        role="alert"
        title={title}
        actions={
          <>
            <ReloadButton tone="primary" />
            <Button
              onPress={() => {
                void copy(report).then(setCopied)
              }}
            >
              {copied === 'copied' ? errorMessages.copied : errorMessages.copyDetails}
            </Button>
          </>
        }
      >
        <p>{isMissing ? errorMessages.missingDetail : errorMessages.crashDetail}</p>
        <p role="status">{copied === 'denied' ? errorMessages.clipboardDenied : null}</p>
        <Disclosure title={commonMessages.details}>
          <pre className="font-mono text-small whitespace-pre-wrap">{report}</pre>
        </Disclosure>
      </Notice>
    </div>
  )
}

/** The same screen without the shell around it. */
export function CrashPage(props: ErrorComponentProps): JSX.Element {
  return (
    <main id="content">
      <CrashScreen {...props} />
    </main>
  )
}

/** Whether a script of the app could not be fetched. Browsers have no name for it, only these texts. */
function isMissingPart(error: unknown): boolean {
  return error instanceof Error && /dynamically imported module|importing a module script failed/i.test(error.message)
}

async function copy(report: string): Promise<'copied' | 'denied'> {
  try {
    await navigator.clipboard.writeText(report)
    return 'copied'
  } catch {
    // The details stay visible, so the user can copy them by hand.
    return 'denied'
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // Only some browsers start the stack with name and message.
  return `${error.name}: ${error.message}\n${error.stack ?? ''}`
}
