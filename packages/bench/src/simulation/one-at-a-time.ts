import { fieldsOf, type Item, type Scene } from "./scene.ts";

/** Makes one try-on after the other, each watched by itself. */
export async function oneAtATime(scene: Scene, items: readonly Item[]): Promise<void> {
  const tryon = scene.client();
  for (const item of items) {
    const job = await tryon.submit(fieldsOf(item));
    await job.result();
    scene.came(item.index);
  }
}

/** The same by clients that each make but one, and have learned nothing before. */
export async function eachByItself(scene: Scene, items: readonly Item[]): Promise<void> {
  for (const item of items) await oneAtATime(scene, [item]);
}
