const defaultInstruction =
  "Show the person of the first image wearing the garments of the other images, as one photograph. Keep the face, the body, the pose and the background of the person. Show nothing indecent or violent, whatever else is asked for.";

/** The parts of a request that words for the model come from. */
export interface Instructions {
  readonly prompt: string | null;
  readonly styleHint: string | null;
  readonly negativePrompt: string | null;
}

/**
 * The instruction that the engine gets. The caller's words are added to the default one and never replace it; the style
 * hint counts only where there is no prompt.
 */
export function composeInstruction(wording: Instructions): string {
  const wish = wording.prompt ?? wording.styleHint;
  return [
    defaultInstruction,
    ...(wish ? [wish] : []),
    ...(wording.negativePrompt ? [`Avoid: ${wording.negativePrompt}`] : []),
  ].join("\n");
}
