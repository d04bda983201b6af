import { DeviceFull } from '@holdfast/client'
import type { JSX, ReactNode } from 'react'
import { commonMessages } from '../messages/common.ts'
import { fullDeviceMessages as words } from '../messages/full-device.ts'
import { Disclosure } from './disclosure.tsx'
import { Notice } from './notice.tsx'

/** A failure for display, with code and collapsed details. */
export interface ShownError {
  /** Stable, such as `HF-NET-UNREACHABLE`. */
  readonly code: string
  readonly title: string
  readonly detail?: string
  readonly technical?: string
}

/** Shows a failure in place. Unknown errors are shown as unexpected, with their message in the details. */
export function ErrorNotice({
  error,
  actions,
}: {
  readonly error: ShownError | Error
  readonly actions?: ReactNode
}): JSX.Element {
  const shown = error instanceof Error ? unexpected(error) : error
  return (
    <Notice tone="danger" role="alert" title={shown.title} actions={actions}>
      {shown.detail === undefined ? null : <p>{shown.detail}</p>}
      <Disclosure title={commonMessages.details}>
        <p className="font-mono text-small">{shown.code}</p>
        {shown.technical === undefined ? null : (
          <p className="font-mono text-small whitespace-pre-wrap">{shown.technical}</p>
        )}
      </Disclosure>
    </Notice>
  )
}

function unexpected(error: Error): ShownError {
  if (error instanceof DeviceFull) {
    return { code: 'HF-APP-FULL', title: words.title, detail: words.detail, technical: error.message }
  }
  return {
    code: 'HF-APP-UNEXPECTED',
    title: commonMessages.failed,
    detail: commonMessages.failedDetail,
    technical: `${error.name}: ${error.message}`,
  }
}
