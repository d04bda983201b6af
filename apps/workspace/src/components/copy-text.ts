import { errorMessages } from '../messages/errors.ts'
import { showToast } from './toast.tsx'

/**
 * Copies a text that stays on the screen, and says so, or that the browser did not allow it.
 *
 * @param copied - what is said then
 * @param denied - what is said else
 */
export async function copyText(
  text: string,
  copied: string,
  denied: string = errorMessages.clipboardDenied,
): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    showToast({ text: copied })
  } catch {
    showToast({ text: denied })
  }
}
