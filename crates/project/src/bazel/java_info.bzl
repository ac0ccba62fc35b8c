# Describes the jars of a Java target: a fact on each line, its parts separated by tabs. `bazel cquery` calls `format`
# for each target, and prints what it returns.

def _jar(key, file):
    # What a rule makes has to be built: its owner is the label to build.
    return "\t".join([key, file.path, "" if file.is_source else str(file.owner)])

def _files(files):
    return files if type(files) == "list" else files.to_list()

def format(target):
    known = providers(target) or {}

    # Since Bazel 7, the file of the provider comes before its name.
    keys = [it for it in known if it == "JavaInfo" or it.endswith("%JavaInfo")]
    if not keys:
        return ""
    info = known[keys[0]]
    lines = ["target\t" + str(target.label)]
    outputs = info.java_outputs if hasattr(info, "java_outputs") else info.outputs.jars
    lines += [_jar("jar", it.class_jar) for it in outputs if it.class_jar]
    class_path = _files(info.transitive_runtime_jars)
    if not class_path and getattr(info, "compilation_info", None):
        # Binaries and tests have their class path here.
        class_path = _files(info.compilation_info.runtime_classpath)
    lines += [_jar("class-path", it) for it in class_path]
    return "\n".join(lines)
