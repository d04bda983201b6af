/**
 * Collects all garbage and returns free memory to the system, which V8 does not do while no memory is needed. Without it, an idle process would keep the
 * memory of one large task. Blocks for about 0.1 s.
 */
export async function releaseMemory(): Promise<void> {
  // Uses the debugger's command inside this process, which needs neither a port nor a flag.
  if (!process.features.inspector) return
  const { Session } = await import('node:inspector/promises')
  const session = new Session()
  session.connect()
  await session.post('HeapProfiler.collectGarbage')
  session.disconnect()
}
