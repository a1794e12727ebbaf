import type { wrapImageModel } from "ai";

/** Image model of version 4 of the provider interface. `ai` exports functions with it, but not the type. */
export type ImageModel = Extract<
  Parameters<typeof wrapImageModel>[0]["model"],
  { readonly specificationVersion: "v4" }
>;
export type ImageModelCall = Parameters<ImageModel["doGenerate"]>[0];
export type ImageModelResult = Awaited<ReturnType<ImageModel["doGenerate"]>>;
export type ImageFile = NonNullable<ImageModelCall["files"]>[number];
export type Warning = ImageModelResult["warnings"][number];
