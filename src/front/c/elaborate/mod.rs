//! From `lang-c`'s syntax tree to the typed program.
//!
//! Functions and initialisers are elaborated when something reachable from `main` mentions
//! them, so that a construct that is not supported is an error only where it matters.

mod attribute;
mod call;
mod constant;
mod declarator;
mod declare;
mod expression;
mod initialize;
mod literal;
mod operator;
mod record;
mod scope;
mod specifier;
mod statement;

use super::options::Options;
use super::parse::Parsed;
use super::typed::{
    Body, Function, FunctionId, Global, GlobalId, GlobalValue, Initializer, LabelId, Local,
    LocalId, StringId,
};
use super::types::{FunctionType, Qualified, Type, Types};
pub(crate) use attribute::Attributes;
pub(crate) use constant::evaluate;
use heddle_diagnostics::{Diagnostic, Sources, Span};
use lang_c::ast;
use lang_c::span::Node;
use scope::Scopes;
use std::collections::HashMap;
use std::rc::Rc;

/// Everything that is reachable from `main`.
pub(crate) struct TypedProgram {
    pub(crate) types: Types,
    pub(crate) globals: Vec<Global>,
    pub(crate) functions: Vec<Function>,
    pub(crate) strings: Vec<Vec<u8>>,
    pub(crate) main: FunctionId,
    /// Functions that pointers may point to.
    pub(crate) addressed_functions: Vec<FunctionId>,
    pub(crate) function_types: Vec<Rc<FunctionType>>,
    /// Whether a mutex is initialised as one of another kind than the normal one.
    pub(crate) mutex_kinds: bool,
    /// What the verdict takes for granted, found while reading.
    pub(crate) assumptions: Vec<(String, Option<Span>)>,
}

/// An error has been added to the diagnostics.
pub(crate) struct Reported;

pub(crate) type Result<T> = std::result::Result<T, Reported>;

struct FunctionInfo<'a> {
    name: String,
    ty: Rc<FunctionType>,
    span: Span,
    /// The definition and the unit that it is in.
    definition: Option<(usize, &'a ast::FunctionDefinition)>,
    body: Option<Body>,
    requested: bool,
}

struct GlobalInfo<'a> {
    global: Global,
    /// The initialiser at file scope, the unit that it is in, and whether there is a definition
    /// at all.
    initializer: Option<(usize, &'a Node<ast::Initializer>)>,
    defined: bool,
    requested: bool,
}

/// The function that is being elaborated.
#[derive(Default)]
struct Current {
    name: String,
    result: Option<Type>,
    locals: Vec<Local>,
    labels: Vec<String>,
    label_ids: HashMap<String, LabelId>,
    defined_labels: Vec<LabelId>,
    used_labels: Vec<(LabelId, Span)>,
    /// Labels that stand before the call of an error function.
    error_labels: Vec<LabelId>,
    /// Definitions of labels that had one, and whether an error function is called there.
    repeated_labels: Vec<(LabelId, Span, bool)>,
    switches: Vec<statement::Switch>,
}

pub(crate) struct Elaborator<'a> {
    sources: &'a Sources,
    /// The user's file, then the library.
    units: Vec<&'a Parsed>,
    unit: usize,
    options: &'a Options,
    types: Types,
    scopes: Scopes,
    functions: Vec<FunctionInfo<'a>>,
    function_ids: HashMap<String, FunctionId>,
    globals: Vec<GlobalInfo<'a>>,
    /// External names by scope-independent linkage.
    global_ids: HashMap<String, GlobalId>,
    strings: Vec<Vec<u8>>,
    string_ids: HashMap<Vec<u8>, StringId>,
    addressed_functions: Vec<FunctionId>,
    pending_functions: Vec<FunctionId>,
    pending_globals: Vec<GlobalId>,
    /// All functions that the user's file defines, for types that are the program's own.
    defined_functions: Vec<String>,
    mutex_kinds: bool,
    current: Current,
    assumptions: Vec<(String, Option<Span>)>,
    diagnostics: Vec<Diagnostic>,
}

/// Elaborates what `main` reaches.
pub(crate) fn elaborate(
    sources: &Sources,
    units: Vec<&Parsed>,
    options: &Options,
) -> std::result::Result<TypedProgram, Vec<Diagnostic>> {
    let mut elaborator = Elaborator {
        sources,
        unit: 0,
        options,
        types: Types::new(options.data_model),
        scopes: Scopes::new(),
        functions: Vec::new(),
        function_ids: HashMap::new(),
        globals: Vec::new(),
        global_ids: HashMap::new(),
        strings: Vec::new(),
        string_ids: HashMap::new(),
        addressed_functions: Vec::new(),
        pending_functions: Vec::new(),
        pending_globals: Vec::new(),
        defined_functions: units
            .first()
            .map_or(Vec::new(), |unit| unit.defined_functions()),
        mutex_kinds: false,
        current: Current::default(),
        assumptions: Vec::new(),
        diagnostics: Vec::new(),
        units,
    };
    let main = elaborator.run();
    match main {
        Ok(main) if elaborator.diagnostics.iter().all(|d| !d.is_error()) => {
            Ok(elaborator.finish(main))
        }
        _ => Err(elaborator.diagnostics),
    }
}

impl<'a> Elaborator<'a> {
    fn run(&mut self) -> Result<FunctionId> {
        for unit in 0..self.units.len() {
            self.unit = unit;
            let parsed = self.units[unit];
            for declaration in &parsed.tree.0 {
                // Each mistake has been reported; the others are still worth finding.
                let _ = self.external_declaration(&declaration.node);
            }
        }
        let main = self.function_ids.get("main").copied();
        let main = main.filter(|main| self.functions[main.index()].definition.is_some());
        let Some(main) = main else {
            self.diagnostics.push(Diagnostic::without_place(
                "the program has no function `main`",
            ));
            return Err(Reported);
        };
        self.request_function(main);
        loop {
            if let Some(function) = self.pending_functions.pop() {
                let _ = self.function_body(function);
            } else if let Some(global) = self.pending_globals.pop() {
                let _ = self.global_initializer(global);
            } else {
                return Ok(main);
            }
        }
    }

    fn finish(self, main: FunctionId) -> TypedProgram {
        TypedProgram {
            types: self.types,
            globals: self.globals.into_iter().map(|info| info.global).collect(),
            function_types: self.functions.iter().map(|info| info.ty.clone()).collect(),
            functions: self
                .functions
                .into_iter()
                .map(|info| Function {
                    name: info.name,
                    result: info.ty.result.clone(),
                    span: info.span,
                    body: info.body,
                })
                .collect(),
            strings: self.strings,
            main,
            mutex_kinds: self.mutex_kinds,
            addressed_functions: self.addressed_functions,
            assumptions: self.assumptions,
        }
    }

    fn span(&self, span: lang_c::span::Span) -> Span {
        self.units[self.unit].span(self.sources, span)
    }

    fn error(&mut self, span: Span, message: impl Into<String>) -> Reported {
        self.report(Diagnostic::error(span, message))
    }

    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.diagnostics.push(diagnostic);
        Reported
    }

    fn unsupported(&mut self, span: Span, what: impl AsRef<str>) -> Reported {
        self.error(span, format!("{} is not supported", what.as_ref()))
    }

    fn request_function(&mut self, function: FunctionId) {
        let info = &mut self.functions[function.index()];
        if !info.requested {
            info.requested = true;
            if info.definition.is_some() {
                self.pending_functions.push(function);
            }
        }
    }

    fn request_global(&mut self, global: GlobalId) {
        let info = &mut self.globals[global.index()];
        if !info.requested {
            info.requested = true;
            self.pending_globals.push(global);
        }
    }

    /// The function of that name, declared if it was not.
    fn function(&mut self, name: &str, ty: &Rc<FunctionType>, span: Span) -> FunctionId {
        if let Some(&id) = self.function_ids.get(name) {
            let info = &mut self.functions[id.index()];
            if info.ty.parameters.is_none() && info.definition.is_none() {
                info.ty = ty.clone();
            }
            return id;
        }
        let id = FunctionId(self.functions.len() as u32);
        self.functions.push(FunctionInfo {
            name: name.to_owned(),
            ty: ty.clone(),
            span,
            definition: None,
            body: None,
            requested: false,
        });
        self.function_ids.insert(name.to_owned(), id);
        id
    }

    fn add_global(
        &mut self,
        name: String,
        ty: Qualified,
        span: Span,
        thread_local: bool,
    ) -> GlobalId {
        let id = GlobalId(self.globals.len() as u32);
        self.globals.push(GlobalInfo {
            global: Global {
                name,
                ty,
                span,
                thread_local,
                value: GlobalValue::External,
            },
            initializer: None,
            defined: false,
            requested: false,
        });
        id
    }

    fn add_local(&mut self, name: String, ty: Qualified, span: Span) -> LocalId {
        self.current.locals.push(Local {
            name,
            ty,
            span,
            address_taken: false,
        });
        LocalId(self.current.locals.len() as u32 - 1)
    }

    fn add_string(&mut self, bytes: Vec<u8>) -> StringId {
        if let Some(&id) = self.string_ids.get(&bytes) {
            return id;
        }
        let id = StringId(self.strings.len() as u32);
        self.strings.push(bytes.clone());
        self.string_ids.insert(bytes, id);
        id
    }

    fn global_initializer(&mut self, global: GlobalId) -> Result<()> {
        let info = &self.globals[global.index()];
        let Some((unit, initializer)) = info.initializer else {
            let is_zero = info.defined && matches!(info.global.value, GlobalValue::External);
            if is_zero {
                self.globals[global.index()].global.value =
                    GlobalValue::Defined(Initializer::default());
            }
            return Ok(());
        };
        let ty = info.global.ty.clone();
        let outer = std::mem::replace(&mut self.unit, unit);
        let result = self.initializer(&ty, initializer);
        self.unit = outer;
        let (_, initializer) = result?;
        self.globals[global.index()].global.value = GlobalValue::Defined(initializer);
        Ok(())
    }
}
