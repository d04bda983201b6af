/** Whether the browser offers passkeys in the list of a text field. */
export async function canAutofillPasskeys(): Promise<boolean> {
  const api = globalThis.PublicKeyCredential as typeof PublicKeyCredential | undefined
  return (await api?.isConditionalMediationAvailable?.()) ?? false
}
