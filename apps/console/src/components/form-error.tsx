import type { JSX } from 'react'
import { Notice } from '@holdfast/workspace'
import { messageOf } from '../lib/api.ts'

/** The error of a form's last attempt. */
export function FormError({ error }: { readonly error: unknown }): JSX.Element | null {
  return error === null || error === undefined ? null : <Notice tone="danger" role="alert" title={messageOf(error)} />
}
